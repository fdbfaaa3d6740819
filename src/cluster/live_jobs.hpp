#pragma once

#include "gpucap/cluster/free_map.hpp"
#include "gpucap/cluster/job.hpp"
#include "gpucap/cluster/policy.hpp"
#include "gpucap/cluster/stay.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace gpucap::cluster {

/// A job on GPUs.
struct Stay {
  std::size_t group = 0;
  Placement placement;
  std::int64_t thousandths = 0;
  StayTerms terms;
  SimTime start;
  SimTime expected_end;  ///< as its estimate says
};

/// A job that has been submitted and has not left.
struct LiveJob {
  Job job;
  Rank rank;
  std::size_t demand = 0;
  SimTime work_left, estimate_left;  ///< on the recorded GPU
  SimTime queued_since;
  std::optional<SimTime> first_start;
  SimTime waited_again;
  std::int64_t restarts = 0, resizes = 0;
  bool cut = false;
  GpuUse use;
  std::optional<Stay> stay;  ///< while it runs
  std::size_t last_group = 0, last_nodes = 0;
  std::uint32_t stay_number = 0;  ///< tells an end that was cancelled from one that holds
};

/// Places for live jobs; one that has left is used again, so memory follows what is in flight.
class LiveJobs {
 public:
  std::uint32_t add(LiveJob job) {
    ++size_;
    if (free_.empty()) {
      jobs_.push_back(std::move(job));
      return static_cast<std::uint32_t>(jobs_.size() - 1);
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    job.stay_number = jobs_[place].stay_number;
    jobs_[place] = std::move(job);
    return place;
  }
  void remove(std::uint32_t place) {
    jobs_[place].job = {};
    free_.push_back(place);
    --size_;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t places() const { return jobs_.size(); }
  LiveJob& operator[](std::uint32_t place) { return jobs_[place]; }
  const LiveJob& operator[](std::uint32_t place) const { return jobs_[place]; }

 private:
  std::vector<LiveJob> jobs_;
  std::vector<std::uint32_t> free_;
  std::size_t size_ = 0;
};

}  // namespace gpucap::cluster

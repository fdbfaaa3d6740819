#pragma once

#include "gpucap/cluster/job.hpp"
#include "gpucap/core/random.hpp"
#include "gpucap/units/quantity.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace gpucap::cluster {

/// Jobs by chance: Poisson submits, lognormal run times, sizes by weight, limits some factor above
/// the run time.
struct JobMix {
  struct Size {
    std::int64_t gpu_thousandths = 0;
    std::int64_t weight = 1;
  };
  std::uint64_t seed = 0;
  std::int64_t jobs = 0;
  Seconds mean_gap{};  ///< between submits; the first one comes at 0
  Seconds median_work{};
  double sigma = 0;               ///< of the logarithm of the run time; the mean is e^(sigma^2/2)
  std::vector<Size> sizes{};      ///< at least one
  double most_overestimated = 1;  ///< limits are even between 1 and so many run times; 1: exact
  std::int64_t priorities = 1;    ///< even between 0 and one less
  std::shared_ptr<const JobKind> kind{};
};

/// Gaps, run times, sizes, limits and priorities have random streams of their own.
class GeneratedJobs final : public JobStream {
 public:
  /// Throws std::invalid_argument for a mix without sizes or with weights below 0.
  explicit GeneratedJobs(JobMix mix);
  std::optional<Job> next() override;

 private:
  [[nodiscard]] std::int64_t size();

  JobMix mix_;
  RandomStream gaps_, work_, sizes_, limits_, priorities_;
  std::int64_t weights_ = 0;
  std::int64_t made_ = 0;
  Seconds time_;
};

}  // namespace gpucap::cluster

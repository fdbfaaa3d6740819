#pragma once

#include "gpucap/core/error.hpp"
#include "gpucap/workload/job_trace.hpp"

#include <string>
#include <vector>

namespace gpucap::workload {

/// Problems of a file until they are enough to show.
class ProblemList {
 public:
  /// InputError with all of them when this is the twentieth.
  void add(Problem problem);
  void throw_if_any() const;
  [[nodiscard]] std::size_t size() const { return problems_.size(); }

 private:
  std::vector<Problem> problems_;
};

/// Jobs of a file as its rows are read; each row is either kept or dropped.
class JobCollector {
 public:
  explicit JobCollector(std::string file) : file_(std::move(file)) {}

  void keep(Job&& job);
  void drop(DropReason reason);
  /// Keeps a job, or drops it when it has no GPUs or no duration.
  void take(Job&& job);

  /// Sorted by submit, without duplicates; `from_zero` makes the earliest submit 0. InputError when
  /// no job is left.
  JobTrace finish(bool from_zero = false) &&;

 private:
  void sort();
  void drop_duplicates();
  void refuse_if_empty() const;
  void start_at_zero();

  /// A job by hash of its id: most ids differ in it, so that sorting seldom looks at texts.
  struct Entry {
    std::size_t hash = 0;
    std::size_t index = 0;
  };
  void sort_by_id();

  std::string file_;
  JobTrace trace_;
  SimTime latest_;
  std::vector<Entry> by_id_;
};

}  // namespace gpucap::workload

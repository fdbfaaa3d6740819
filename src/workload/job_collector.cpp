#include "job_collector.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

#include "job_fields.hpp"
#include <fmt/format.h>

namespace gpucap::workload {
namespace {

constexpr std::size_t most_problems = 20;

auto key(const Job& job) {
  return std::tuple(std::string_view(job.id), job.submit, job.gpu_thousandths, job.duration);
}

}  // namespace

void ProblemList::add(Problem problem) {
  problems_.push_back(std::move(problem));
  if (problems_.size() < most_problems) return;
  problems_.push_back({problems_.back().file, "", "",
                       fmt::format("reading stopped after {} problems", most_problems),
                       "too-many-problems"});
  throw InputError(problems_);
}

void ProblemList::throw_if_any() const {
  if (!problems_.empty()) throw InputError(problems_);
}

void JobCollector::keep(Job&& job) {
  ++trace_.rows;
  if (job.submit < latest_) ++trace_.out_of_order;
  latest_ = std::max(latest_, job.submit);
  if (!job.id.empty()) by_id_.push_back({std::hash<std::string>{}(job.id), trace_.jobs.size()});
  trace_.jobs.push_back(std::move(job));
}

void JobCollector::drop(DropReason reason) {
  ++trace_.rows;
  ++trace_.dropped[static_cast<std::size_t>(reason)];
}

void JobCollector::take(Job&& job) {
  if (job.gpu_thousandths <= 0) return drop(DropReason::no_gpus);
  if (job.duration.ns <= 0) return drop(DropReason::no_duration);
  keep(std::move(job));
}

void JobCollector::sort() {
  if (trace_.out_of_order == 0) return;
  // Places are sorted rather than jobs, which are large.
  std::vector<std::size_t> order(trace_.jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return trace_.jobs[a].submit < trace_.jobs[b].submit;
  });
  std::vector<Job> sorted;
  sorted.reserve(order.size());
  for (const std::size_t i : order) sorted.push_back(std::move(trace_.jobs[i]));
  trace_.jobs = std::move(sorted);
}

void JobCollector::sort_by_id() {
  const std::vector<Job>& jobs = trace_.jobs;
  std::sort(by_id_.begin(), by_id_.end(), [&](const Entry& a, const Entry& b) {
    if (a.hash != b.hash) return a.hash < b.hash;
    return std::tuple(key(jobs[a.index]), a.index) < std::tuple(key(jobs[b.index]), b.index);
  });
}

void JobCollector::drop_duplicates() {
  sort_by_id();
  std::vector<Job>& jobs = trace_.jobs;
  std::vector<bool> repeats(jobs.size());
  std::int64_t duplicates = 0;
  for (std::size_t i = 1; i < by_id_.size(); ++i) {
    if (by_id_[i - 1].hash != by_id_[i].hash) continue;
    const Job& before = jobs[by_id_[i - 1].index];
    const Job& job = jobs[by_id_[i].index];
    if (before.id != job.id) continue;
    const bool same = key(before) == key(job);
    repeats[by_id_[i].index] = same;
    ++(same ? duplicates : trace_.repeated_ids);
  }
  if (duplicates == 0) return;
  trace_.dropped[static_cast<std::size_t>(DropReason::duplicate)] += duplicates;
  std::size_t at = 0;
  std::erase_if(jobs, [&](const Job&) { return repeats[at++]; });
}

void JobCollector::refuse_if_empty() const {
  if (!trace_.jobs.empty()) return;
  std::string why = "the trace has no rows";
  if (trace_.rows > 0) {
    why = fmt::format("none of {} rows is a job with GPUs and a duration", trace_.rows);
    for (std::size_t i = 0; i < drop_reasons; ++i) {
      if (trace_.dropped[i] == 0) continue;
      why += fmt::format("; {}: {}", name(static_cast<DropReason>(i)), trace_.dropped[i]);
    }
  }
  throw InputError(Problem{file_, "", "", why, "empty-trace"});
}

void JobCollector::start_at_zero() {
  const SimTime origin = trace_.first_submit();
  for (Job& job : trace_.jobs) job.submit.ns -= origin.ns;
  if (trace_.last_submit() <= latest_time) return;
  throw InputError(
      Problem{file_, "", "", "the jobs are more than 142 years apart", "out-of-range"});
}

JobTrace JobCollector::finish(bool from_zero) && {
  refuse_if_empty();
  drop_duplicates();
  sort();
  if (from_zero) start_at_zero();
  return std::move(trace_);
}

}  // namespace gpucap::workload

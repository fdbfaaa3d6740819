#include "kernel_task.hpp"

#include <utility>

#include "errors.hpp"

namespace gpucap::measure::cuda {

KernelTask::KernelTask(const Card& card, OperandSets sets, KernelWork work)
    : card_(card.index),
      sets_(std::move(sets)),
      work_(std::move(work)),
      stream_(make_stream()),
      start_(make_event()),
      stop_(make_event()) {}

Seconds KernelTask::run(Cache cache, int repeats) {
  use_device(card_);
  check(cudaEventRecord(start_.get(), stream_.get()), "cudaEventRecord");
  for (int i = 0; i < repeats; ++i) {
    last_ = cache == Cache::cold ? next_++ % sets_.count() : 0;
    work_.launch(sets_[last_], stream_.get());
  }
  check(cudaEventRecord(stop_.get(), stream_.get()), "cudaEventRecord");
  ran_ = true;
  return time_between(start_, stop_) / repeats;
}

double KernelTask::error() {
  if (!ran_) run(Cache::warm, 1);
  use_device(card_);
  return work_.error(sets_[last_]);
}

Seconds time_between(const EventOwner& start, const EventOwner& stop) {
  check(cudaEventSynchronize(stop.get()), "cudaEventSynchronize");
  float ms = 0;
  check(cudaEventElapsedTime(&ms, start.get(), stop.get()), "cudaEventElapsedTime");
  return static_cast<double>(ms) * unit::ms;
}

}  // namespace gpucap::measure::cuda

#include "errors.hpp"
#include "kernel_task.hpp"
#include "kernels/kernels.hpp"
#include "read_back.hpp"
#include "reference.hpp"
#include "tasks.hpp"

namespace gpucap::measure::cuda {

namespace {

/// One card's part: payload and sum, and its own stream.
struct Rank {
  Rank(const Card& card, std::int64_t bytes, std::uint64_t seed)
      : numbers{Number::fp16, seed}, sets(card, {bytes, bytes}) {
    sets.fill(0, Number::fp16, {1, bytes / 2, bytes / 2}, seed);
    sets.spread();
    stream = make_stream();
    reached = make_event();
  }
  Drawn numbers;
  OperandSets sets;
  StreamOwner stream;
  EventOwner reached;
};

/// Each card sums up its share of all payloads, then fetches the others' shares. Between the halves
/// the cards wait for each other by events, so the time includes what that costs one process.
class AllReduceTask : public Task {
 public:
  AllReduceTask(const Card& card, const AllReduce& work, std::uint64_t seed)
      : first_(card.index), chunks_(chunks_of(work.payload)) {
    for (int rank = 0; rank < work.ranks; ++rank) {
      for (int other = 0; other < work.ranks; ++other) {
        if (other != rank) open_access(first_ + rank, first_ + other);
      }
    }
    for (int rank = 0; rank < work.ranks; ++rank) {
      use_device(first_ + rank);
      ranks_.emplace_back(card, 16 * chunks_, seed + static_cast<std::uint64_t>(rank));
    }
    use_device(first_);
    start_ = make_event();
    stop_ = make_event();
  }
  Seconds run(Cache cache, int repeats) override {
    use_device(first_);
    check(cudaEventRecord(start_.get(), ranks_[0].stream.get()), "cudaEventRecord");
    for (int i = 0; i < repeats; ++i) {
      set_ = cache == Cache::cold ? next_++ % ranks_[0].sets.count() : 0;
      meet();
      for (int rank = 0; rank < count(); ++rank) start_half(sum_share, rank, "sum_share");
      meet();
      for (int rank = 0; rank < count(); ++rank) start_half(gather_shares, rank, "gather_shares");
    }
    meet();
    use_device(first_);
    check(cudaEventRecord(stop_.get(), ranks_[0].stream.get()), "cudaEventRecord");
    return time_between(start_, stop_) / repeats;
  }
  double error() override {
    if (next_ == 0) run(Cache::cold, 1);
    Deviation deviation;
    for (const std::int64_t at : sampled(8 * chunks_, 256, ranks_[0].numbers.seed)) {
      double sum = 0;
      for (const Rank& rank : ranks_) sum += rank.numbers(at);
      for (const Rank& rank : ranks_) {
        deviation.add(read_number(rank.sets[set_][1], at, Number::fp16), sum);
      }
    }
    return deviation.relative();
  }
  [[nodiscard]] double tolerance() const override { return 0x1p-10; }

 private:
  [[nodiscard]] int count() const { return static_cast<int>(ranks_.size()); }

  /// No stream goes on before all have come here.
  void meet() {
    for (int rank = 0; rank < count(); ++rank) {
      const Rank& own = ranks_[static_cast<std::size_t>(rank)];
      use_device(first_ + rank);
      check(cudaEventRecord(own.reached.get(), own.stream.get()), "cudaEventRecord");
    }
    for (const Rank& waiting : ranks_) {
      for (const Rank& other : ranks_) {
        if (&other == &waiting) continue;
        check(cudaStreamWaitEvent(waiting.stream.get(), other.reached.get(), 0),
              "cudaStreamWaitEvent");
      }
    }
  }
  template <class Half>
  void start_half(Half half, int rank, const char* name) {
    Peers peers{};
    peers.ranks = count();
    peers.rank = rank;
    peers.chunks = chunks_;
    for (int other = 0; other < count(); ++other) {
      const OperandSet set = ranks_[static_cast<std::size_t>(other)].sets[set_];
      peers.input[other] = set[0];
      peers.output[other] = set[1];
    }
    use_device(first_ + rank);
    check(half(peers, ranks_[static_cast<std::size_t>(rank)].stream.get()), name);
  }

  int first_;
  std::int64_t chunks_;
  std::vector<Rank> ranks_;
  EventOwner start_, stop_;
  std::int64_t next_ = 0, set_ = 0;
};

}  // namespace

Names implementations(const Card& card, const AllReduce& work) {
  const bool sound = work.ranks >= 2 && work.ranks <= Peers::most && chunks_of(work.payload) > 0 &&
                     card.index + work.ranks <= card.count;
  if (!sound) return {};
  for (int rank = 0; rank < work.ranks; ++rank) {
    for (int other = 0; other < work.ranks; ++other) {
      if (other != rank && !reaches(card.index + rank, card.index + other)) return {};
    }
  }
  return {"kernel"};
}

TaskOwner prepare(const Card& card, const AllReduce& work, std::uint64_t seed) {
  return std::make_unique<AllReduceTask>(card, work, seed);
}

}  // namespace gpucap::measure::cuda

#include <algorithm>
#include <cmath>
#include <cstring>

#include "errors.hpp"
#include "kernel_task.hpp"
#include "kernels/numbers.hpp"
#include "reference.hpp"
#include "tasks.hpp"

namespace gpucap::measure::cuda {

namespace {

using Kind = Transfer::Kind;

std::size_t bytes_of(const Transfer& work) {
  return static_cast<std::size_t>(16 * chunks_of(work.bytes));
}

bool between_cards(Kind kind) {
  return kind == Kind::peer || kind == Kind::staged;
}

/// Memory that a card or the host owns, and bytes to tell it by.
struct Place {
  DeviceMemory device;
  PinnedMemory host;
  [[nodiscard]] void* get() const { return device ? device.get() : host.get(); }
};

Place place_on(int card, std::size_t bytes) {
  use_device(card);
  return {device_memory(bytes), nullptr};
}
Place place_on_host(std::size_t bytes) {
  return {nullptr, pinned_memory(bytes)};
}

/// Copies through host memory piece by piece: while one piece is on its way to the second card, the
/// next is on its way from the first.
class StagedCopy {
 public:
  StagedCopy(int from, int to) : from_card_(from), to_card_(to) {
    for (int slot = 0; slot < 2; ++slot) {
      use_device(from);
      pinned_[slot] = pinned_memory(piece);
      filled_[slot] = make_event();
      use_device(to);
      emptied_[slot] = make_event();
    }
    second_ = make_stream();
    done_ = make_event();
  }
  /// Starts on `first`, a stream of the first card, which then waits for the end.
  void start(unsigned char* to, const unsigned char* from, std::size_t bytes, cudaStream_t first) {
    for (std::size_t at = 0, slot = 0; at < bytes; at += piece, slot = 1 - slot) {
      const std::size_t count = std::min(piece, bytes - at);
      use_device(from_card_);
      wait(first, emptied_[slot]);
      check(cudaMemcpyAsync(pinned_[slot].get(), from + at, count, cudaMemcpyDeviceToHost, first),
            "cudaMemcpyAsync");
      record(filled_[slot], first);
      use_device(to_card_);
      wait(second_.get(), filled_[slot]);
      check(cudaMemcpyAsync(to + at, pinned_[slot].get(), count, cudaMemcpyHostToDevice,
                            second_.get()),
            "cudaMemcpyAsync");
      record(emptied_[slot], second_.get());
    }
    record(done_, second_.get());
    use_device(from_card_);
    wait(first, done_);
  }

 private:
  static constexpr std::size_t piece = 4U << 20U;

  static void wait(cudaStream_t stream, const EventOwner& event) {
    check(cudaStreamWaitEvent(stream, event.get(), 0), "cudaStreamWaitEvent");
  }
  static void record(const EventOwner& event, cudaStream_t stream) {
    check(cudaEventRecord(event.get(), stream), "cudaEventRecord");
  }

  int from_card_, to_card_;
  PinnedMemory pinned_[2];
  EventOwner filled_[2], emptied_[2], done_;
  StreamOwner second_;
};

/// Copies between two places, timed by events. Their operands pass no cache worth the name, so cold
/// and warm are the same.
class TransferTask : public Task {
 public:
  TransferTask(const Card& card, const Transfer& work, std::uint64_t seed)
      : card_(card.index), kind_(work.kind), bytes_(bytes_of(work)), seed_(seed) {
    const int peer = card.index + 1;
    if (kind_ == Kind::peer) open_access(card.index, peer);
    if (kind_ == Kind::staged) staged_ = std::make_unique<StagedCopy>(card.index, peer);
    to_ = kind_ == Kind::device_to_host ? place_on_host(bytes_)
                                        : place_on(between_cards(kind_) ? peer : card_, bytes_);
    from_ = kind_ == Kind::host_to_device ? place_on_host(bytes_) : place_on(card_, bytes_);
    use_device(card_);
    stream_ = make_stream();
    start_ = make_event();
    stop_ = make_event();
    fill();
  }
  Seconds run(Cache, int repeats) override {
    use_device(card_);
    check(cudaEventRecord(start_.get(), stream_.get()), "cudaEventRecord");
    for (int i = 0; i < repeats; ++i) copy();
    check(cudaEventRecord(stop_.get(), stream_.get()), "cudaEventRecord");
    return time_between(start_, stop_) / repeats;
  }
  /// 1 when a sampled word did not arrive.
  double error() override {
    run(Cache::cold, 1);
    const auto* words = static_cast<const unsigned char*>(to_.get());
    for (const std::int64_t at : sampled(word_count(), 256, seed_)) {
      std::uint64_t word = 0;
      check(cudaMemcpy(&word, words + 8 * at, 8, cudaMemcpyDefault), "cudaMemcpy");
      if (word != word_at(at)) return 1;
    }
    return 0;
  }
  [[nodiscard]] double tolerance() const override { return 0; }

 private:
  [[nodiscard]] std::int64_t word_count() const { return static_cast<std::int64_t>(bytes_ / 8); }
  [[nodiscard]] std::uint64_t word_at(std::int64_t at) const {
    return mixed(mixed(seed_) + static_cast<std::uint64_t>(at));
  }
  void fill() {
    std::vector<std::uint64_t> words(static_cast<std::size_t>(word_count()));
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = word_at(static_cast<std::int64_t>(i));
    check(cudaMemcpy(from_.get(), words.data(), bytes_, cudaMemcpyDefault), "cudaMemcpy");
  }
  void copy() {
    if (staged_) {
      staged_->start(static_cast<unsigned char*>(to_.get()),
                     static_cast<const unsigned char*>(from_.get()), bytes_, stream_.get());
      return;
    }
    check(cudaMemcpyAsync(to_.get(), from_.get(), bytes_, cudaMemcpyDefault, stream_.get()),
          "cudaMemcpyAsync");
  }

  int card_;
  Kind kind_;
  std::size_t bytes_;
  std::uint64_t seed_;
  Place from_, to_;
  std::unique_ptr<StagedCopy> staged_;
  StreamOwner stream_;
  EventOwner start_, stop_;
};

}  // namespace

bool reaches(int to, int from) {
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, to, from), "cudaDeviceCanAccessPeer");
  return can != 0;
}

void open_access(int to, int from) {
  use_device(to);
  const cudaError_t result = cudaDeviceEnablePeerAccess(from, 0);
  if (result == cudaErrorPeerAccessAlreadyEnabled) {
    cudaGetLastError();
    return;
  }
  check(result, "cudaDeviceEnablePeerAccess");
}

Names implementations(const Card& card, const Transfer& work) {
  if (chunks_of(work.bytes) == 0) return {};
  const int peer = card.index + 1;
  if (between_cards(work.kind) && peer >= card.count) return {};
  if (work.kind == Kind::peer && !reaches(card.index, peer)) return {};
  return {"runtime"};
}

TaskOwner prepare(const Card& card, const Transfer& work, std::uint64_t seed) {
  return std::make_unique<TransferTask>(card, work, seed);
}

}  // namespace gpucap::measure::cuda

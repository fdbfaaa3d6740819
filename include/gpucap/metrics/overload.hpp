#pragma once

#include "gpucap/record/sink.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gpucap::metrics {

/// How requests enter: at times of their own, or as earlier ones are answered.
enum class LoopKind : std::uint8_t { open, closed };

/// Whether a load keeps coming faster than it is served. The arrival span is from the first to the
/// last arrival. Its second half begins with the last checkpoint (see OverloadDetector) not after
/// the middle of the span and ends with the last arrival; what happens at the instant of an arrival
/// happens before it, so what finishes with the last one counts.
struct OverloadVerdict {
  bool overloaded = false;
  std::int64_t arrived = 0;     ///< in the second half, without those refused there
  std::int64_t finished = 0;    ///< in the second half
  std::int64_t queue_mid = 0;   ///< waiting at the start of the second half
  std::int64_t queue_last = 0;  ///< waiting at the last arrival
  double half_s = 0;            ///< length of the second half

  /// "3.1 of 4 requests/s finished while the queue grew from 20 to 61"; of an overload only.
  [[nodiscard]] std::string reason() const;
};

/// Overloaded: in the second half of the arrival span fewer than 0.95 requests finish for each that
/// arrives, and at the last arrival more than 1.5 times as many wait as at its start. A refused
/// request asks for no service and counts on neither side. A closed loop or a span of zero (all at
/// once) never is. Wants to be told of arrivals, finishes and refusals in order of time.
///
/// The span is known at the end only, so arrivals are kept as checkpoints: every one up to 2^14 of
/// them; from then on, whenever there are 2^14, every second one is dropped. 512 KiB at most.
/// Beyond 2^14 arrivals the second half thus begins up to n / 2^13 arrivals of n (0.012 %) earlier
/// than the last arrival not after the middle; whatever it begins with, its counts are exact.
class OverloadDetector : public record::Sink {
 public:
  explicit OverloadDetector(LoopKind kind) : kind_(kind) {}

  void arrived(std::int64_t id, SimTime time, std::int64_t queue_length) override;
  void finished(const record::RequestRow& row) override;
  void refused(std::int64_t id, SimTime time) override;

  [[nodiscard]] OverloadVerdict verdict() const;

 private:
  static constexpr std::size_t max_checkpoints = std::size_t{1} << 14;

  /// Up to and including one arrival.
  struct Checkpoint {
    SimTime time;
    std::int64_t arrived = 0, finished = 0, refused = 0;
    std::int64_t queue = 0;  ///< waiting, without the one that arrives
  };
  void keep(const Checkpoint& checkpoint);
  [[nodiscard]] const Checkpoint& last_not_after(SimTime time) const;

  LoopKind kind_;
  std::int64_t finished_ = 0, refused_ = 0;
  Checkpoint last_;  ///< of the last arrival; none yet when its `arrived` is 0
  std::vector<Checkpoint>
      kept_;                 ///< of each stride_th of the arrivals before it, the first one too
  std::int64_t stride_ = 1;  ///< a power of two
};

}  // namespace gpucap::metrics

#pragma once

#include "gpucap/record/sink.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gpucap::metrics {

/// How requests enter: at times of their own, or as earlier ones are answered.
enum class LoopKind : std::uint8_t { open, closed };

/// Whether a load keeps coming faster than it is served. The arrival span is from the first to the
/// last arrival; its second half excludes the middle instant and includes the last arrival.
struct OverloadVerdict {
  bool overloaded = false;
  std::int64_t arrived = 0;     ///< in the second half, without those refused there
  std::int64_t finished = 0;    ///< in the second half
  std::int64_t queue_mid = 0;   ///< waiting at the last arrival not after the middle
  std::int64_t queue_last = 0;  ///< waiting at the last arrival
  double half_s = 0;            ///< length of the second half

  /// "3.1 of 4 requests/s finished while the queue grew from 20 to 61"; of an overload only.
  [[nodiscard]] std::string reason() const;
};

/// Overloaded: in the second half of the arrival span fewer than 0.95 requests finish for each that
/// arrives, and at the last arrival more than 1.5 times as many wait as at mid-span. A refused
/// request asks for no service and counts on neither side. A closed loop or a span of zero (all at
/// once) never is. Exact: keeps 20 bytes per request, since the span is known at the end only.
class OverloadDetector : public record::Sink {
 public:
  explicit OverloadDetector(LoopKind kind) : kind_(kind) {}

  void arrived(std::int64_t id, SimTime time, std::int64_t queue_length) override;
  void finished(const record::RequestRow& row) override;
  void refused(std::int64_t id, SimTime time) override;

  [[nodiscard]] OverloadVerdict verdict() const;

 private:
  LoopKind kind_;
  // In order of arrival. Two vectors rather than one of pairs: no padding.
  std::vector<SimTime> arrivals_;
  std::vector<std::uint32_t> queues_;
  std::vector<SimTime> finishes_, refusals_;
};

}  // namespace gpucap::metrics

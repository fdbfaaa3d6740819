#pragma once

#include "gpucap/units/sim_time.hpp"

#include <cstdint>

namespace gpucap::record {

/// Life of one finished request, simulated or measured.
struct RequestRow {
  std::int64_t id = 0;
  std::int64_t replica = 0;
  SimTime arrival, scheduled, first_token, finished;
  std::int64_t prompt_tokens = 0, output_tokens = 0;
  std::int64_t cached_prompt_tokens = 0;  ///< prefix hits at first admission
  std::int64_t preemptions = 0;
};

/// Gaps between tokens in a row of steps that grow evenly: in step i, counted from 0, `count`
/// sequences got a token `first` + i `growth` after their last one.
struct TokenGaps {
  Ticks first;
  std::int64_t count = 1;
  std::int64_t steps = 1;
  Ticks growth{};
};

/// What happened, told while it happens; nothing is kept by the simulator itself.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void arrived(std::int64_t /*id*/, SimTime /*time*/, std::int64_t /*queue_length*/) {}
  virtual void finished(const RequestRow&) {}
  virtual void refused(std::int64_t /*id*/, SimTime /*time*/) {}
  /// Not in order of time against the other calls.
  virtual void token_gaps(const TokenGaps&) {}
};

}  // namespace gpucap::record

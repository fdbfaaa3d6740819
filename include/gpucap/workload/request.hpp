#pragma once

#include "gpucap/units/sim_time.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace gpucap::workload {

/// One generation request as a client sends it.
struct Request {
  std::int64_t id = 0;  ///< position in the stream, from 0
  SimTime arrival;      ///< ignored in a closed loop
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;  ///< exactly this many are generated
  /// Identities of the prompt's blocks of `RequestStream::block_tokens` tokens, first to last; two
  /// equal ids after equal predecessors mean equal text. Empty: the prompt shares nothing.
  std::vector<std::uint64_t> prompt_blocks;
};

/// Requests in order of arrival, produced as they are asked for: memory is what is in flight.
class RequestStream {
 public:
  virtual ~RequestStream() = default;
  virtual std::optional<Request> next() = 0;
  /// Tokens per entry of `prompt_blocks`; 0 when the stream carries no block ids.
  [[nodiscard]] virtual std::int64_t block_tokens() const { return 0; }
  /// Rows left out so far because they ask for nothing (0 prompt or 0 output tokens).
  [[nodiscard]] virtual std::int64_t dropped() const { return 0; }
};

/// How requests enter the system.
struct Load {
  std::unique_ptr<RequestStream> requests;
  /// Closed loop: this many clients, each sending its next request when the last one is answered.
  /// Absent: open loop, requests enter at their arrival times.
  std::optional<std::int64_t> clients;
};

}  // namespace gpucap::workload

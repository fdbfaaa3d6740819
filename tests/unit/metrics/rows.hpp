#pragma once

#include "gpucap/record/sink.hpp"

namespace gpucap::metrics {

constexpr SimTime at_ms(std::int64_t ms) {
  return {ms * 1'000'000};
}

/// A request with 100 prompt tokens whose times are given in milliseconds.
inline record::RequestRow row_ms(std::int64_t arrival, std::int64_t scheduled,
                                 std::int64_t first_token, std::int64_t finished,
                                 std::int64_t output_tokens) {
  record::RequestRow row;
  row.arrival = at_ms(arrival);
  row.scheduled = at_ms(scheduled);
  row.first_token = at_ms(first_token);
  row.finished = at_ms(finished);
  row.prompt_tokens = 100;
  row.output_tokens = output_tokens;
  return row;
}

}  // namespace gpucap::metrics

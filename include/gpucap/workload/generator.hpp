#pragma once

#include "gpucap/workload/arrivals.hpp"
#include "gpucap/workload/lengths.hpp"
#include "gpucap/workload/request.hpp"

#include <cstdint>
#include <optional>

namespace gpucap::workload {

/// Prompts begin with a common text, such as a system prompt. It is part of the prompt length; a
/// prompt that is shorter is its beginning. Sharing works in whole blocks, as in a prefix cache: of
/// 40 shared tokens in blocks of 16, 32 can be found again.
struct SharedPrefix {
  std::int64_t tokens = 0;
  std::int64_t block_tokens = 16;
  std::int64_t groups = 1;  ///< number of different texts; each request picks one evenly
};

struct GeneratorSpec {
  std::uint64_t seed = 0;
  std::int64_t requests = 0;
  Arrivals arrivals;
  LengthDistribution prompt_tokens;
  LengthDistribution output_tokens;
  std::optional<SharedPrefix> shared_prefix = std::nullopt;
};

/// A stream of `requests` requests, ids from 0, made one at a time. The same spec gives the same
/// requests; arrivals, lengths and prefix groups have random streams of their own. InputError when
/// a number is out of range.
Load generate(const GeneratorSpec& spec);

}  // namespace gpucap::workload

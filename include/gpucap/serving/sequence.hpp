#pragma once

#include "gpucap/serving/block_pool.hpp"
#include "gpucap/units/sim_time.hpp"
#include "gpucap/workload/request.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gpucap::serving {

/// A request inside an engine: its tokens, its blocks and the instants that are reported.
struct Sequence {
  workload::Request request;
  std::int64_t computed = 0;   ///< tokens whose KV exists or is in flight
  std::int64_t promised = 0;   ///< output tokens whose sampling has been scheduled
  std::int64_t delivered = 0;  ///< output tokens that have come back

  std::vector<BlockPool::Block> blocks;
  std::vector<BlockPool::Hash> hashes;  ///< of full blocks, chained; grows with the sequence
  std::int64_t published = 0;           ///< blocks that can be found by hash

  bool running = false;
  bool admitted_before = false;
  SimTime scheduled{-1};  ///< negative: not yet
  SimTime first_token;
  Ticks last_token;
  std::int64_t cached_prompt_tokens = 0;
  std::int64_t preemptions = 0;

  /// Tokens that exist or are promised: what a step may have to compute KV for.
  [[nodiscard]] std::int64_t tokens() const { return request.prompt_tokens + promised; }
  /// The pass over the prompt is one to wait for, even where it yields no token (encoders).
  [[nodiscard]] bool all_promised() const {
    return promised >= std::max<std::int64_t>(1, request.output_tokens);
  }
  [[nodiscard]] std::int64_t lacking() const { return all_promised() ? 0 : tokens() - computed; }
};

/// Chained content hashes of the first `count` blocks of `block_tokens` tokens. Prompt blocks take
/// their identity from the stream's block ids (of `id_tokens` tokens each); what has no id there,
/// and everything generated, is unlike any other text.
void extend_hashes(Sequence& sequence, std::int64_t count, std::int64_t block_tokens,
                   std::int64_t id_tokens);

/// Can ids of blocks of `id_tokens` name engine blocks of `block_tokens`? One must divide the
/// other.
bool block_sizes_agree(std::int64_t block_tokens, std::int64_t id_tokens);

}  // namespace gpucap::serving

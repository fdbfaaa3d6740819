#pragma once

#include "gpucap/serving/block_pool.hpp"
#include "gpucap/units/sim_time.hpp"
#include "gpucap/workload/request.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace gpucap::serving {

/// How far a request has come in an engine, and the instants that are reported.
struct Progress {
  std::int64_t computed = 0;    ///< tokens whose KV exists or is in flight
  std::int64_t promised = 0;    ///< output tokens whose sampling has been scheduled
  std::int64_t on_the_way = 0;  ///< of these, by steps that have not ended; counted in pipelines
  Ticks last_token{};           ///< when the last promised one comes
  std::int64_t order = 0;       ///< of admission: who runs earlier comes first in every step
  std::int64_t joined = 0;      ///< number of the step after which it joined the decode set
  SimTime scheduled{-1};        ///< negative: not yet
  SimTime first_token{};
  std::int64_t cached_prompt_tokens = 0;
  std::int64_t preemptions = 0;
  BlockPool::Parked parked{};  ///< blocks without a name, after it was thrown out
  bool running = false;
  bool admitted_before = false;
  bool hashed = false;
};

/// A request inside an engine, with its tokens and its blocks.
struct Sequence : Progress {
  workload::Request request;
  std::vector<BlockPool::Hash> hashes;    ///< of whole prompt blocks that the stream names, chained
  std::vector<BlockPool::Content> known;  ///< the blocks among its own that can be found by these
  Sequence* before = nullptr;             ///< in the list in which it stands
  Sequence* after = nullptr;

  /// Starts over with another request; the vectors keep their memory.
  void begin(workload::Request&& next) {
    static_cast<Progress&>(*this) = {};
    request = std::move(next);
    hashes.clear();
    known.clear();
  }
  /// Tokens that exist or are promised: what a step may have to compute KV for.
  [[nodiscard]] std::int64_t tokens() const { return request.prompt_tokens + promised; }
  /// The pass over the prompt is one to wait for, even where it yields no token (encoders).
  [[nodiscard]] bool all_promised() const {
    return promised >= std::max<std::int64_t>(1, request.output_tokens);
  }
  [[nodiscard]] std::int64_t lacking() const { return all_promised() ? 0 : tokens() - computed; }
  /// The next step computes one token, and it is not one of the prompt.
  [[nodiscard]] bool decodes() const { return computed >= request.prompt_tokens && lacking() == 1; }
};

/// Chained content hashes of the whole prompt blocks of `block_tokens` tokens that the stream names
/// by ids of `id_tokens` tokens each. What has no id there, and everything generated, is unlike any
/// other text: nobody but the sequence itself can look for it, so it needs no hash.
void hash_prompt(Sequence& sequence, std::int64_t block_tokens, std::int64_t id_tokens);

/// Can ids of blocks of `id_tokens` name engine blocks of `block_tokens`? One must divide the
/// other.
bool block_sizes_agree(std::int64_t block_tokens, std::int64_t id_tokens);

}  // namespace gpucap::serving

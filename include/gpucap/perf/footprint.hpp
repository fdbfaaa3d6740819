#pragma once

#include "gpucap/core/dtype.hpp"
#include "gpucap/hardware/gpu.hpp"
#include "gpucap/models/transformer.hpp"
#include "gpucap/perf/engine_profile.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpucap::perf {

/// Everything that decides how much memory a serving engine has left for its KV cache.
struct ServingMemoryQuestion {
  const models::Transformer* model = nullptr;
  const hardware::Gpu* gpu = nullptr;
  const EngineProfile* engine = nullptr;
  models::WeightFormat weights;
  Dtype kv_dtype = Dtype::bf16;
  int tensor_parallel = 1;
  int pipeline_parallel = 1;
  bool expert_parallel = false;  ///< routed experts whole, dealt out over the ranks
  std::int64_t max_num_batched_tokens = 2048;
  std::int64_t max_num_seqs = 256;
  double gpu_memory_utilization = 0.9;
  std::optional<std::int64_t> max_model_len;    ///< absent: the model's, cut to the pool
  std::optional<std::int64_t> kv_cache_tokens;  ///< given instead of predicted
  std::optional<Bytes> kv_cache_memory;         ///< given instead of predicted
};

/// Blocks of KV cache on one rank. Layers of one kind (whole sequence, window, recurrent state)
/// form groups of equal size that share the blocks; a sequence holds blocks in every group.
struct KvPool {
  std::int64_t blocks = 0;         ///< all of them; block 0 is never handed out
  std::int64_t block_tokens = 16;  ///< in force: hybrids enlarge it, latent attention has its own
  std::int64_t bytes_per_block = 0;
  std::int64_t full_groups = 1;
  std::int64_t window_groups = 0;
  std::int64_t window_tokens = 0;  ///< that a sequence holds at most in a window group
  std::int64_t state_groups = 0;   ///< one block per sequence and group, whatever its length

  [[nodiscard]] std::int64_t groups() const { return full_groups + window_groups + state_groups; }
};

/// Blocks that one sequence of `tokens` holds at most.
std::int64_t blocks_of_sequence(const KvPool& pool, std::int64_t tokens);
/// Longest sequence, up to `limit`, that fits alone.
std::int64_t largest_context(const KvPool& pool, std::int64_t limit);
/// Sequences of `tokens` that fit at once.
std::int64_t largest_concurrency(const KvPool& pool, std::int64_t tokens);

/// Memory of the fullest rank. weights + kv_cache + activations + other + free is what a program
/// sees of the card; free is below zero by what is missing when it does not fit.
struct ServingFootprint {
  bool feasible = false;
  std::string reason;  ///< why not, in one sentence; empty when feasible
  Bytes weights, kv_cache, activations, other, free;
  std::vector<std::pair<std::string, Bytes>> terms;  ///< named parts of activations and other
  KvPool pool;
  std::int64_t kv_blocks = 0;            ///< usable by requests, each of pool.block_tokens
  std::int64_t kv_cache_tokens = 0;      ///< as the engine logs it: all blocks x block size
  std::int64_t kv_bytes_per_token = 0;   ///< per rank
  std::int64_t max_model_len = 0;        ///< in force
  bool max_model_len_cut = false;        ///< the pool, not the model, limits it
  std::int64_t largest_concurrency = 0;  ///< requests of max_model_len that fit at once, at least
  std::vector<std::string> notes;        ///< what is assumed or transferred
};

/// The terms and their evidence: docs/models/memory.md. Bad combinations (a split that the model
/// does not allow, a length beyond the model) make it infeasible with a reason; it never throws.
ServingFootprint serving_footprint(const ServingMemoryQuestion& question);

}  // namespace gpucap::perf

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpucap/core/dtype.hpp"
#include "gpucap/hardware/gpu.hpp"
#include "gpucap/models/transformer.hpp"
#include "gpucap/perf/engine_profile.hpp"

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
  std::int64_t max_num_batched_tokens = 2048;
  std::int64_t max_num_seqs = 256;
  double gpu_memory_utilization = 0.9;
  std::optional<std::int64_t> max_model_len;    ///< absent: the model's, cut to the pool
  std::optional<std::int64_t> kv_cache_tokens;  ///< given instead of predicted
  std::optional<Bytes> kv_cache_memory;         ///< given instead of predicted
};

/// Memory of the fullest rank. The parts add up to what a program sees of the card.
struct ServingFootprint {
  bool feasible = false;
  std::string reason;  ///< why not, in one sentence; empty when feasible
  Bytes weights, kv_cache, activations, other, free;
  std::vector<std::pair<std::string, Bytes>> terms;  ///< named parts of activations and other
  std::int64_t kv_blocks = 0;         ///< usable by requests
  std::int64_t kv_cache_tokens = 0;   ///< as the engine logs it: all blocks x block size
  std::int64_t kv_bytes_per_token = 0;///< per rank
  std::int64_t max_model_len = 0;     ///< in force
  bool max_model_len_cut = false;     ///< the pool, not the model, limits it
  std::int64_t largest_concurrency = 0; ///< requests of max_model_len that fit at once, at least
  std::vector<std::string> notes;     ///< what is assumed or transferred
};

ServingFootprint serving_footprint(const ServingMemoryQuestion& question);

}  // namespace gpucap::perf

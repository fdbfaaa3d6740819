#pragma once

#include "gpucap/core/dtype.hpp"
#include "gpucap/hardware/gpu.hpp"
#include "gpucap/hardware/host.hpp"
#include "gpucap/models/transformer.hpp"
#include "gpucap/perf/calibration.hpp"
#include "gpucap/perf/engine_profile.hpp"
#include "gpucap/perf/footprint.hpp"
#include "gpucap/perf/step_cost.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::plan {

/// Cards that are rented together.
struct Node {
  hardware::Gpu gpu;
  int count = 1;
  hardware::Host host;
};

/// How an engine is started; absent values take the engine's own default for the card.
struct EngineSettings {
  perf::EngineProfile profile;
  models::WeightFormat weights;
  Dtype kv_dtype = Dtype::bf16;
  std::optional<std::int64_t> max_num_seqs;
  std::optional<std::int64_t> max_num_batched_tokens;
  std::optional<double> gpu_memory_utilization;
  std::optional<std::int64_t> max_model_len;
  std::optional<std::int64_t> kv_cache_tokens;
  std::optional<Bytes> kv_cache_memory;
  std::optional<bool> prefix_caching;
};

struct Layout {
  std::optional<int> replicas;  ///< default: as many as the cards allow
  int tensor_parallel = 1;
  int pipeline_parallel = 1;
  bool expert_parallel = false;  ///< over the ranks of tensor parallelism
};

struct ServingQuestion {
  models::Transformer model;
  Node node;
  Layout layout;
  EngineSettings engine;
  perf::Calibration calibration;
};

/// The rules by which one replica schedules, with every default filled in.
struct SchedulerRules {
  perf::EngineProfile::Batching batching = perf::EngineProfile::Batching::continuous;
  bool chunked_prefill = true;
  bool prefix_caching = true;
  bool async_scheduling = false;
  std::int64_t stages_in_flight = 1;  ///< steps that a pipeline holds at once; above 1 a sequence
                                      ///< waits for its token before it is scheduled again
  bool reserve_full_prompt = false;
  std::int64_t block_tokens = 16;
  std::int64_t watermark_blocks = 0;
  std::int64_t max_num_seqs = 256;
  std::int64_t max_num_batched_tokens = 2048;
  std::int64_t max_model_len = 0;
  std::int64_t kv_blocks = 0;
  std::optional<std::int64_t> sliding_window;  ///< cuts the context that some layers read
  bool decodes = true;  ///< false: a request is one pass and has no output tokens (encoders)
};

/// Who runs where, whether it fits, and why not.
struct ServingPlan {
  ServingQuestion question;
  bool feasible = false;
  std::string reason;  ///< one sentence; empty when feasible
  int replicas = 0;
  SchedulerRules rules;
  perf::ServingFootprint footprint;
  std::optional<perf::CollectiveFit> all_reduce;  ///< chosen for the host, tensor parallel only
  std::optional<perf::CollectiveFit> all_gather;  ///< the same, for logits
  std::optional<perf::CollectiveFit> send_recv;   ///< between pipeline stages
  std::vector<std::string> notes;                 ///< what is transferred, derived or assumed

  /// Inputs of the step cost; they point into this plan, which must outlive their use.
  [[nodiscard]] perf::StepCostInputs step_cost_inputs(
      std::optional<models::Stage> stage = std::nullopt) const;
  /// One cost for each pipeline stage, in order.
  [[nodiscard]] std::vector<perf::StepCost> stage_costs() const;
};

ServingPlan plan_serving(ServingQuestion question);

}  // namespace gpucap::plan

#pragma once

#include "gpucap/core/dtype.hpp"
#include "gpucap/hardware/gpu.hpp"
#include "gpucap/models/transformer.hpp"
#include "gpucap/perf/calibration.hpp"
#include "gpucap/perf/engine_profile.hpp"
#include "gpucap/perf/kernel.hpp"
#include "gpucap/units/sim_time.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace gpucap::perf {

/// What a step of a serving engine works on.
struct Batch {
  std::span<const Chunk> chunks;  ///< prompt pieces
  std::int64_t decodes = 0;       ///< sequences that advance by one token
  std::int64_t sum_context = 0;   ///< KV tokens that they read, in all
  std::int64_t max_context = 0;   ///< and at most
  std::int64_t sum_window = 0;    ///< the same with each context cut to the sliding window
  std::int64_t max_window = 0;
  std::int64_t sampled = 0;  ///< sequences that get a token from this step
};

/// Exact integer cost and work of one step on one rank. FLOPs and bytes in whole units.
struct StepWork {
  using Wide = Ticks::Wide;
  Ticks time;
  Wide flops = 0, bytes = 0, link_bytes = 0;
  std::array<Ticks, cause_count> by_cause{};  ///< sums to time
};

/// Sums over decode-only steps of equally many sequences; what the steps cost is linear in them.
struct DecodeSums {
  std::int64_t steps = 0;
  std::int64_t context = 0, longest_context = 0;  ///< Batch::sum_context and max_context
  std::int64_t window = 0, longest_window = 0;    ///< Batch::sum_window and max_window
};

struct StepCostInputs {
  const models::Transformer* model = nullptr;
  const hardware::Gpu* gpu = nullptr;
  const Calibration* calibration = nullptr;
  const EngineProfile* engine = nullptr;
  models::WeightFormat weights;
  Dtype kv_dtype = Dtype::bf16;
  int tensor_parallel = 1;
  bool expert_parallel = false;  ///< routed experts are dealt out whole over the ranks
  std::int64_t max_num_seqs = 256;
  std::int64_t max_num_batched_tokens = 2048;
  std::optional<CollectiveFit> all_reduce;  ///< required when tensor_parallel > 1
  std::optional<CollectiveFit> all_gather;  ///< of logits; absent: moves at the all-reduce's rate
  std::optional<models::Stage> stage;       ///< of a pipeline; absent: the whole model
  std::optional<CollectiveFit> send_recv;   ///< to the next stage, required where there is one
};

/// Cost of a step, compiled from model, card, precision and engine: the batch state goes in, an
/// integer comes out. For decode-only steps it is
///   fixed[n] + sum_token[n] sum_context + max_token[n] max_context
/// with integer coefficients that are rounded once per n; a closed form over many steps built from
/// them equals the steps one by one, bit for bit.
///
/// It remembers what it has worked out, behind `const` and without a lock: one thread at a time.
/// Each simulation has its own. Model, card, calibration and engine must outlive it.
class StepCost {
 public:
  explicit StepCost(const StepCostInputs& inputs);
  ~StepCost();
  StepCost(StepCost&&) noexcept;

  [[nodiscard]] StepWork operator()(const Batch& batch) const;

  /// Integer coefficients of a decode-only step of n sequences, all in ticks, FLOPs or bytes, of 64
  /// bits so that products of two are one instruction. Those per token of context (`per_...`) are
  /// not negative.
  struct Decode {
    std::array<std::int64_t, cause_count> fixed{};
    std::int64_t fixed_time = 0;                          ///< sum of `fixed`
    std::int64_t per_sum = 0, per_max = 0;                ///< attention over the whole context
    std::int64_t per_sum_window = 0, per_max_window = 0;  ///< layers with a sliding window
    Cause attention = Cause::memory_bandwidth;
    std::int64_t floor = 0, gap = 0;  ///< host: step = max(GPU, floor) + gap
    std::int64_t flops = 0, bytes = 0, link_bytes = 0;
    std::int64_t flops_per_sum = 0, bytes_per_sum = 0;
    std::int64_t flops_per_sum_window = 0, bytes_per_sum_window = 0;

    /// Work of many steps, none of which is shorter than the host's floor.
    [[nodiscard]] StepWork gpu_bound(const DecodeSums& sums) const;
    /// The same where in every step the GPU waits for the host.
    [[nodiscard]] StepWork host_bound(const DecodeSums& sums) const;
  };
  /// Compiled on first use; n from 1 to max_num_seqs. The reference holds as long as this object,
  /// moved or not. Throws std::invalid_argument when the fit makes attention faster with context,
  /// std::out_of_range for steps of days.
  [[nodiscard]] const Decode& decode(std::int64_t n) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

/// Tokens at which a batch runs: the next captured graph size, or itself above the largest.
class GraphPadding {
 public:
  GraphPadding(const EngineProfile& engine, std::int64_t max_num_seqs,
               std::int64_t max_num_batched_tokens);
  [[nodiscard]] std::int64_t padded(std::int64_t tokens) const;
  [[nodiscard]] const std::vector<std::int64_t>& sizes() const { return sizes_; }

 private:
  std::vector<std::int64_t> sizes_;
};

}  // namespace gpucap::perf

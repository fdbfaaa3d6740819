#pragma once

#include "gpucap/hardware/gpu.hpp"
#include "gpucap/units/quantity.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpucap::perf {

/// What one version of a serving engine does: its scheduling rules, defaults by card, memory that
/// it takes beside weights and KV cache, and the time its host side needs. All of it is data
/// (calibration/engines/*.json); code only branches on these fields, never on a version.
struct EngineProfile {
  std::string id;  ///< "vllm-0.19"
  std::string name;
  std::string source;  ///< what was read to write the profile
  /// Source of each figure, by its place in the file: "memory.non_torch_single".
  std::map<std::string, std::string> sources;
  /// Range in which a figure was seen, in base units, by the same names; only where one is known.
  std::map<std::string, std::pair<double, double>> intervals;

  // --- scheduling
  enum class Batching {
    continuous,     ///< prompts and decodes share a step (vLLM V1)
    prefill_first,  ///< a step is all prompt or all decode, prompts first (vLLM V0)
    gang,           ///< a new batch starts when the last one has finished (static batching)
  };
  Batching batching = Batching::continuous;
  bool chunked_prefill = true;
  bool prefix_caching = true;
  bool async_scheduling = false;     ///< step s is decided when step s-2 ends
  bool reserve_full_prompt = false;  ///< admission needs free blocks for the whole prompt
  double watermark = 0;              ///< share of blocks kept free at admission
  std::int64_t block_tokens = 16;
  std::int64_t latent_block_tokens = 64;  ///< of models with latent attention
  bool window_layers_apart = true;  ///< window layers hold a window only, not the whole sequence
  std::optional<std::int64_t> fixed_max_num_seqs;  ///< e.g. 1 for a single-stream runtime

  /// Defaults that depend on the card. The first rule that matches applies.
  struct CardDefaults {
    std::optional<Bytes> min_visible_memory;
    std::vector<std::string> not_if_name_contains;  ///< lower case
    std::int64_t max_num_batched_tokens = 2048;
    std::int64_t max_num_seqs = 256;
  };
  std::vector<CardDefaults> card_defaults;
  /// An engine that takes whole prompts must batch at least max_model_len tokens. Beyond a length
  /// it cuts prompts into chunks after all, with a small budget (vLLM V0).
  struct LongContext {
    std::int64_t above_model_len = 0;
    std::int64_t max_num_batched_tokens = 0;
  };
  std::optional<LongContext> chunked_when_long;
  double gpu_memory_utilization = 0.9;

  // --- CUDA graphs: batch sizes in tokens that are captured; GEMMs run at the next one.
  struct GraphSizes {
    std::vector<std::int64_t> first;  ///< e.g. 1, 2, 4
    struct Range {
      std::int64_t step = 8;
      std::int64_t up_to = 512;
    };
    std::vector<Range> ranges;  ///< multiples of step up to the limit, in turn
    bool limit_to_twice_max_num_seqs = false;
  };
  std::optional<GraphSizes> graph_sizes;  ///< absent: no padding

  // --- memory beside weights and KV, per rank; the terms of docs/models/memory.md
  struct Memory {
    double sampler_bytes = 0;      ///< c: per sampled row and vocabulary entry
    double hidden_copies = 0;      ///< h: bytes per batched token and hidden unit beside logits
    double ffn_copies = 0;         ///< widths of I / TP that the MLP holds at its peak
    double mlp_hidden_copies = 0;  ///< m: widths of H that it holds beside them
    Bytes activation_floor;        ///< at least, whatever the sizes
    Bytes non_torch_single;        ///< driver memory that grows after the first reading
    Bytes non_torch_parallel;      ///< the same with several ranks joined by NVLink (collectives)
    Bytes non_torch_pcie;          ///< the same with several ranks without NVLink
    Bytes cuda_context;            ///< there before the first reading: outside the share
    bool graphs_inside_budget = false;  ///< graph pools are subtracted from the share of the card
    Bytes graphs;  ///< graph pool of a model of up to 9e9 parameters on one card
    std::vector<std::string> assumed;  ///< fields that rest on no logged figure
  };
  Memory memory;

  // --- host time: step = max(GPU, floor_per_layer layers + per_sequence S) + gap
  //     + gap_per_sequence S
  struct Host {
    Seconds gap;
    Seconds gap_per_sequence;  ///< work per running sequence that the GPU waits for
    Seconds floor_per_layer;
    Seconds per_sequence;
    Seconds front_end;      ///< per request, before it can be scheduled
    bool measured = false;  ///< false: carried over from a neighbouring version
  };
  Host host;

  /// Chunks and decodes share one attention launch on Ampere- and Ada-class cards.
  bool mixed_attention_launch = true;
};

/// What a step may hold.
struct BatchLimits {
  std::int64_t max_num_batched_tokens = 0;
  std::int64_t max_num_seqs = 0;
  bool chunked_prefill = true;
};

/// The limits that the engine sets on this card when the user names none; an engine that takes
/// whole prompts batches max_model_len tokens. Throws std::out_of_range when no rule matches.
BatchLimits default_limits(const EngineProfile& engine, const hardware::Gpu& gpu,
                           std::int64_t max_model_len);

}  // namespace gpucap::perf

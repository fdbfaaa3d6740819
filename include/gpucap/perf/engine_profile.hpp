#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpucap/units/quantity.hpp"

namespace gpucap::perf {

/// What one version of a serving engine does: its scheduling rules, defaults by card, memory that
/// it takes beside weights and KV cache, and the time its host side needs. All of it is data
/// (calibration/engines/*.json); code only branches on these fields, never on a version.
struct EngineProfile {
  std::string id;    ///< "vllm-0.19"
  std::string name;
  std::string source;

  // --- scheduling
  enum class Batching {
    continuous,     ///< prompts and decodes share a step (vLLM V1)
    prefill_first,  ///< a step is all prompt or all decode, prompts first (vLLM V0)
    gang,           ///< a new batch starts when the last one has finished (static batching)
  };
  Batching batching = Batching::continuous;
  bool chunked_prefill = true;
  bool prefix_caching = true;
  bool async_scheduling = false;      ///< step s is decided when step s-2 ends
  bool reserve_full_prompt = false;   ///< admission needs free blocks for the whole prompt
  double watermark = 0;               ///< share of blocks kept free at admission
  std::int64_t block_tokens = 16;
  std::optional<std::int64_t> fixed_max_num_seqs;  ///< e.g. 1 for a single-stream runtime

  /// Defaults that depend on the card. The first rule that matches applies.
  struct CardDefaults {
    std::optional<Bytes> min_visible_memory;
    std::vector<std::string> not_if_name_contains;  ///< lower case
    std::int64_t max_num_batched_tokens = 2048;
    std::int64_t max_num_seqs = 256;
  };
  std::vector<CardDefaults> card_defaults;
  double gpu_memory_utilization = 0.9;

  // --- CUDA graphs: batch sizes in tokens that are captured; GEMMs run at the next one.
  struct GraphSizes {
    std::vector<std::int64_t> first;  ///< e.g. 1, 2, 4
    struct Range {
      std::int64_t step = 8;
      std::int64_t up_to = 512;
    };
    std::vector<Range> ranges;        ///< multiples of step up to the limit, in turn
    bool limit_to_twice_max_num_seqs = false;
  };
  std::optional<GraphSizes> graph_sizes;  ///< absent: no padding

  // --- memory beside weights and KV, per rank; the terms of docs/models/memory.md
  struct Memory {
    double sampler_bytes = 38;        ///< c: per sampled row and vocabulary entry
    double hidden_copies = 4;         ///< h: bytes per batched token and hidden unit beside logits
    double ffn_copies = 3;            ///< bytes factor on 2 T I / TP
    double mlp_hidden_copies = 1;     ///< m: bytes factor on 2 T H in the MLP peak
    Bytes non_torch_single;           ///< CUDA context growth, driver, graphs' trial capture
    Bytes non_torch_parallel;         ///< the same with tensor parallel > 1 (collectives)
    bool graphs_inside_budget = false;///< graph pools are subtracted from the share of the card
    Bytes graphs;                     ///< graph pool of a model of up to 9e9 parameters on one card
    std::string source;
  };
  Memory memory;

  // --- host time: step = max(GPU, floor_per_layer * layers + per_sequence * S) + gap
  struct Host {
    Seconds gap;
    Seconds floor_per_layer;
    Seconds per_sequence;
    Seconds front_end;         ///< per request, before it can be scheduled
    std::string source;
    bool measured = false;     ///< false: carried over from a neighbouring version
  };
  Host host;

  /// Chunks and decodes share one attention launch on Ampere- and Ada-class cards.
  bool mixed_attention_launch = true;
};

}  // namespace gpucap::perf

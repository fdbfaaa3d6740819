#pragma once

#include "gpucap/units/quantity.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpucap::training {

/// What a class of training software costs: memory that its kernels and allocator take, and how its
/// times compare with the kernels of perf. All of it is data (calibration/software/*.json); code
/// branches on these fields only, never on a name.
struct Software {
  std::string id;      ///< "tuned", "framework", ...
  std::string name;    ///< what it stands for, in words
  std::string source;  ///< what was read or fitted to write the profile
  /// Source of each figure, by its place in the file: "memory.bytes_per_logit".
  std::map<std::string, std::string> sources;
  /// Range of a figure where one is known, in the unit that the field holds; same keys.
  std::map<std::string, std::pair<double, double>> intervals;

  /// docs/models/training-memory.md
  struct Memory {
    bool fused_activations = true;    ///< norms and activations save what fused kernels save
    double score_bytes = 5;           ///< of unfused attention, per query, key and head
    double bytes_per_logit = 6;       ///< at the peak of the loss, per token and vocabulary entry
    double kept_bytes_per_logit = 0;  ///< still alive in the backward pass of the layers
    double optimizer_temporary = 8;   ///< bytes per parameter updated at once, states in fp32;
                                      ///< half of it where states have 16 bits
    double optimizer_group = 0;       ///< parameters that ZeRO-3 updates at once; 0: all at once
    double adapter_bytes = 16;        ///< per trained adapter weight: weight, gradient, states
    Bytes context;                    ///< CUDA context and libraries, before the first tensor
    Bytes workspace;                  ///< of matrix libraries
    Bytes shard_buffer;               ///< reduce and prefetch buckets of ZeRO-2 and -3
    double live_parameters = 0;       ///< that ZeRO-3 leaves whole beyond the layers in use
    bool mixed_shards = false;        ///< frozen weights that share a shard with adapters get
                                      ///< gradients too (FSDP flat parameters)
    bool quantised_inputs = false;    ///< frozen 4-bit layers keep their input all the same
    double reserved_over_allocated = 1;  ///< what the caching allocator holds beyond its peak
    bool whole_model_at_load = false;    ///< each card builds all 4-bit weights before the cut
    double relative_error = 0;           ///< of the allocated peak; 95 of 100 lie within
    std::vector<std::string> assumed;    ///< fields that rest on no measured figure
  };
  Memory memory;

  /// docs/models/training-time.md
  struct Time {
    double products = 1;   ///< on the time of matrix products
    double streams = 1;    ///< on the bytes that fused element-wise kernels would move
    double attention = 1;  ///< on the time of attention kernels
    /// The same by architecture of the card, where kernels of the class make less of one than those
    /// that the card's fit measured: {"Hopper": 3}.
    std::map<std::string, double> attention_on;
    double widening = 1;  ///< on the bytes of widening 4-bit weights before each product
    /// Tokens that each query costs beyond its own in the backward kernels of attention, which take
    /// 2.5 times the forward time of long sequences.
    double attention_backward_tokens = 0;
    Seconds launch_per_layer;     ///< host time per layer and pass, forward and backward alike
    Seconds launch_quantised;     ///< more of it per layer and pass over 4-bit weights
    Seconds launch_sharded;       ///< more of it per layer and pass with ZeRO-3
    Seconds per_step;             ///< host time per optimiser step
    double exchange_overlap = 0;  ///< share of gradient and weight exchange hidden behind compute
    double straggle = 0;          ///< relative spread of ranks' steps; a step waits for the slowest
    double relative_error = 0;    ///< of a step on one card; 80 of 100 lie within
    std::vector<std::string> assumed;
  };
  Time time;

  /// Convolution nets; absent where the class trains none. docs/models/training-convnets.md
  struct Convolutions {
    double traffic = 1;            ///< on the bytes counted from the layer list
    double cycles_narrow = 0;      ///< of one SM per number that convolutions put out, forward and
                                   ///< backward together; arithmetic in 16 bits
    double cycles_wide = 0;        ///< the same with numbers of 32 bits
    double relative_error = 0;     ///< of a step on one card; 80 of 100 lie within
    std::int64_t least_batch = 1;  ///< smallest micro-batch among them
    std::vector<std::string> fitted_on;  ///< ids of the nets whose steps were measured
  };
  std::optional<Convolutions> convolutions;
};

}  // namespace gpucap::training

#pragma once

#include "gpucap/calibrate/sample_table.hpp"
#include "gpucap/calibrate/screen.hpp"
#include "gpucap/calibrate/split.hpp"
#include "gpucap/perf/kernel.hpp"

#include <string>
#include <vector>

namespace gpucap::calibrate {

/// What every sample has.
struct Measured {
  Seconds time;
  /// Half of ln(slowest / fastest) over repeats, from columns time_min_us and time_max_us; 0 when
  /// the table has none.
  double log_spread = 0;
  /// Of its kind, before the spread counts; 0 = judged when held out, never fitted.
  double weight = 1;
  SplitKey key;
};

/// A matrix product; key: (n, k) and m.
struct GemmSample {
  Measured measured;
  perf::GemmShape shape;
};

/// An attention launch of one layer: chunks, decodes or both. Key: (heads, KV heads, head size)
/// and KV tokens; of a launch with both (chunk, decodes) and KV tokens.
struct AttentionSample {
  Measured measured;
  perf::AttentionShape shape;
  std::vector<perf::Chunk> chunks;
  perf::Decodes decodes;
};

/// A streaming kernel; key: tokens.
struct LayerSample {
  Measured measured;
  std::size_t kernel = 0;  ///< index into the kernels that were asked for
  double numbers = 0;      ///< tokens times the width that the kernel walks
};

/// A kernel by number of sequences; key: sequences.
struct SequenceSample {
  Measured measured;
  std::int64_t sequences = 0;
};

/// A collective; key: payload.
struct CollectiveSample {
  Measured measured;
  Bytes payload;
};

/// Which layer of a table is which kernel.
struct KernelRows {
  std::string layer;  ///< in the column "layer"
  perf::ElementwiseKernel::Width width = perf::ElementwiseKernel::Width::hidden;
};

// Samples of a table that the choice takes, in the table's order; a table of another kind has none.
// Rows whose time is not above zero are refused here. Throws InputError: cells that are no numbers.
// Products: 16-bit ones alone, by the column "dtype" where there is one.
std::vector<GemmSample> gemm_samples(SampleTable& table, const RowChoice& choice,
                                     Refusals& refused);
std::vector<AttentionSample> prefill_samples(SampleTable& table, const RowChoice& choice,
                                             Refusals& refused);
std::vector<AttentionSample> decode_samples(SampleTable& table, const RowChoice& choice,
                                            Refusals& refused);
std::vector<AttentionSample> mixed_samples(SampleTable& table, const RowChoice& choice,
                                           Refusals& refused);
std::vector<LayerSample> layer_samples(SampleTable& table, const RowChoice& choice,
                                       const std::vector<KernelRows>& kernels, Refusals& refused);
std::vector<SequenceSample> sequence_samples(SampleTable& table, const RowChoice& choice,
                                             Refusals& refused);
std::vector<CollectiveSample> collective_samples(SampleTable& table, const RowChoice& choice,
                                                 Refusals& refused);

}  // namespace gpucap::calibrate

#include "gpucap/calibrate/sample.hpp"

#include <algorithm>
#include <cmath>

namespace gpucap::calibrate {
namespace {

/// Time and spread of a row; the time is zero or less when the row is to be refused.
Measured measured(SampleTable& table, std::size_t row) {
  Measured result;
  result.time = table.number(row, "time_us") * unit::us;
  if (!table.has("time_min_us") || !table.has("time_max_us")) return result;
  const double fastest = table.number(row, "time_min_us");
  const double slowest = table.number(row, "time_max_us");
  if (fastest > 0 && slowest > fastest) result.log_spread = std::log(slowest / fastest) / 2;
  return result;
}

/// Formats of matrix products whose weights, activations and arithmetic are 16 bits wide.
bool sixteen_bit(std::string_view dtype) {
  static const std::vector<std::string_view> names = {"", "bf16", "bfloat16", "fp16", "float16"};
  return std::find(names.begin(), names.end(), dtype) != names.end();
}

/// Calls `add` for each row that is taken and has a time; throws when a cell was no number.
template <class Add>
void each_row(SampleTable& table, const RowChoice& choice, Refusals& refused, Add add) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!choice.takes(table, row, refused)) continue;
    Measured time = measured(table, row);
    if (time.time <= Seconds{}) {
      ++refused["time not above zero"];
    } else {
      add(row, std::move(time));
    }
  }
  table.throw_if_problems();
}

/// Bytes of a number: 16 bits where the table has no such column.
double width_in(SampleTable& table, std::size_t row, std::string_view column) {
  return table.has(column) ? table.number(row, column) : 2;
}

perf::AttentionShape heads_of(SampleTable& table, std::size_t row) {
  const double cache_bytes = width_in(table, row, "cache_bytes");
  perf::AttentionShape shape;
  shape.heads = table.count(row, "heads");
  shape.kv_heads = table.count(row, "kv_heads");
  shape.qk_dim = shape.v_dim = table.count(row, "head_dim");
  shape.kv_bytes_per_token = cache_bytes * static_cast<double>(2 * shape.kv_heads * shape.qk_dim);
  return shape;
}

std::vector<std::int64_t> layout(const perf::AttentionShape& shape) {
  return {shape.heads, shape.kv_heads, shape.qk_dim};
}

AttentionSample chunks_only(Measured time, const perf::AttentionShape& shape, std::int64_t batch,
                            perf::Chunk chunk) {
  time.key = {layout(shape), chunk.kv};
  if (chunk.q <= 1) time.weight = 0;  // a decode in all but name: other kernels run
  return {
      std::move(time), shape, std::vector<perf::Chunk>(static_cast<std::size_t>(batch), chunk), {}};
}

AttentionSample decodes_only(Measured time, const perf::AttentionShape& shape, std::int64_t count,
                             std::int64_t context) {
  time.key = {layout(shape), context};
  return {std::move(time), shape, {}, {count, count * context, context}};
}

/// Of a table of mixed launches: new tokens, KV of the chunk, decodes, KV of each.
struct MixedRow {
  std::int64_t chunk, chunk_kv, decodes, context;
};

MixedRow mixed_row(SampleTable& table, std::size_t row) {
  const std::int64_t chunk = table.count(row, "prefill_chunk");
  return {chunk, chunk + table.count(row, "kv_prefill"), table.count(row, "n_decode"),
          table.count(row, "kv_decode")};
}

/// Launches that few steps hold count half: beyond 64 decodes or 2048 tokens of context.
double usual_weight(const MixedRow& row) {
  constexpr std::int64_t many_decodes = 64, long_context = 2048;
  return row.decodes <= many_decodes && row.context <= long_context ? 1.0 : 0.5;
}

double width_of(SampleTable& table, std::size_t row, perf::ElementwiseKernel::Width width) {
  using Width = perf::ElementwiseKernel::Width;
  const auto heads = [&](const char* column) {
    return static_cast<double>(table.count(row, column) * table.count(row, "head_dim"));
  };
  switch (width) {
    case Width::hidden:
      return static_cast<double>(table.count(row, "hidden"));
    case Width::ffn:
      return static_cast<double>(table.count(row, "ffn"));
    case Width::query_and_key:
      return heads("heads") + heads("kv_heads");
    case Width::key_and_value:
      break;
  }
  return 2 * heads("kv_heads");
}

}  // namespace

std::vector<GemmSample> gemm_samples(SampleTable& table, const RowChoice& choice,
                                     Refusals& refused) {
  std::vector<GemmSample> samples;
  if (table.kind() != TableKind::gemm) return samples;
  each_row(table, choice, refused, [&](std::size_t row, Measured time) {
    if (!sixteen_bit(table.text(row, "dtype"))) {
      ++refused["number format of another fit"];
      return;
    }
    const perf::GemmShape shape{table.count(row, "m"), table.count(row, "n"), table.count(row, "k"),
                                width_in(table, row, "weight_bytes")};
    time.key = {{shape.n, shape.k}, shape.m};
    samples.push_back({std::move(time), shape});
  });
  return samples;
}

std::vector<AttentionSample> prefill_samples(SampleTable& table, const RowChoice& choice,
                                             Refusals& refused) {
  std::vector<AttentionSample> samples;
  if (table.kind() == TableKind::attention) {
    each_row(table, choice, refused, [&](std::size_t row, Measured time) {
      if (table.text(row, "phase") != "prefill") return;
      samples.push_back(chunks_only(std::move(time), heads_of(table, row),
                                    table.count(row, "batch"),
                                    {table.count(row, "q_len"), table.count(row, "kv_len")}));
    });
  } else if (table.kind() == TableKind::mixed) {
    each_row(table, choice, refused, [&](std::size_t row, Measured time) {
      const MixedRow launch = mixed_row(table, row);
      if (launch.decodes > 0 || launch.chunk == 0) return;
      samples.push_back(
          chunks_only(std::move(time), heads_of(table, row), 1, {launch.chunk, launch.chunk_kv}));
    });
  }
  return samples;
}

std::vector<AttentionSample> decode_samples(SampleTable& table, const RowChoice& choice,
                                            Refusals& refused) {
  std::vector<AttentionSample> samples;
  if (table.kind() == TableKind::attention) {
    each_row(table, choice, refused, [&](std::size_t row, Measured time) {
      if (table.text(row, "phase") != "decode") return;
      samples.push_back(decodes_only(std::move(time), heads_of(table, row),
                                     table.count(row, "batch"), table.count(row, "kv_len")));
    });
  } else if (table.kind() == TableKind::mixed) {
    each_row(table, choice, refused, [&](std::size_t row, Measured time) {
      const MixedRow launch = mixed_row(table, row);
      if (launch.decodes == 0 || launch.chunk > 0) return;
      samples.push_back(
          decodes_only(std::move(time), heads_of(table, row), launch.decodes, launch.context));
    });
  }
  return samples;
}

std::vector<AttentionSample> mixed_samples(SampleTable& table, const RowChoice& choice,
                                           Refusals& refused) {
  std::vector<AttentionSample> samples;
  if (table.kind() != TableKind::mixed) return samples;
  each_row(table, choice, refused, [&](std::size_t row, Measured time) {
    const MixedRow launch = mixed_row(table, row);
    if (launch.decodes == 0 || launch.chunk == 0) return;
    time.key = {{launch.chunk, launch.decodes}, launch.chunk_kv};
    time.weight = usual_weight(launch);
    samples.push_back({std::move(time),
                       heads_of(table, row),
                       {{launch.chunk, launch.chunk_kv}},
                       {launch.decodes, launch.decodes * launch.context, launch.context}});
  });
  return samples;
}

std::vector<LayerSample> layer_samples(SampleTable& table, const RowChoice& choice,
                                       const std::vector<KernelRows>& kernels, Refusals& refused) {
  std::vector<LayerSample> samples;
  if (table.kind() != TableKind::layer) return samples;
  each_row(table, choice, refused, [&](std::size_t row, Measured time) {
    const auto kernel = std::find_if(kernels.begin(), kernels.end(), [&](const KernelRows& asked) {
      return asked.layer == table.text(row, "layer");
    });
    if (kernel == kernels.end()) return;
    const std::int64_t tokens = table.count(row, "tokens");
    time.key = {{tokens}, tokens};
    samples.push_back({std::move(time), static_cast<std::size_t>(kernel - kernels.begin()),
                       static_cast<double>(tokens) * width_of(table, row, kernel->width)});
  });
  return samples;
}

std::vector<SequenceSample> sequence_samples(SampleTable& table, const RowChoice& choice,
                                             Refusals& refused) {
  std::vector<SequenceSample> samples;
  if (table.kind() != TableKind::sequence) return samples;
  each_row(table, choice, refused, [&](std::size_t row, Measured time) {
    const std::int64_t sequences = table.count(row, "sequences");
    time.key = {{sequences}, sequences};
    samples.push_back({std::move(time), sequences});
  });
  return samples;
}

std::vector<CollectiveSample> collective_samples(SampleTable& table, const RowChoice& choice,
                                                 Refusals& refused) {
  std::vector<CollectiveSample> samples;
  if (table.kind() != TableKind::collective) return samples;
  each_row(table, choice, refused, [&](std::size_t row, Measured time) {
    const std::int64_t payload = table.count(row, "bytes");
    time.key = {{payload}, payload};
    samples.push_back({std::move(time), static_cast<double>(payload) * unit::byte});
  });
  return samples;
}

}  // namespace gpucap::calibrate

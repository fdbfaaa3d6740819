#include "gpucap/perf/decode_work.hpp"

#include "launch.hpp"
#include <fmt/format.h>

namespace gpucap::validate {
namespace {

perf::AttentionShape shape_of(std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim) {
  constexpr double cache_bytes = 2;  // the tables hold 16-bit caches
  return {heads, kv_heads, head_dim, head_dim,
          cache_bytes * static_cast<double>(2 * kv_heads * head_dim)};
}

}  // namespace

std::optional<Launch> attention_launch(const LaunchContext& context, const CsvCells& row) {
  const auto shape = shape_of(whole(row, "heads"), whole(row, "kv_heads"), whole(row, "head_dim"));
  const std::int64_t batch = whole(row, "batch"), q = whole(row, "q_len");
  const std::int64_t kv = whole(row, "kv_len");
  Launch launch;
  launch.key = {{shape.heads, shape.kv_heads, shape.qk_dim}, kv};
  launch.operands_known = true;
  launch.shape = fmt::format("{} x {} of {}, heads {}/{}/{}", batch, q, kv, shape.heads,
                             shape.kv_heads, shape.qk_dim);
  if (row.text("phase") == "decode") {
    launch.kernel = "decode attention";
    const auto cost = perf::decode_attention(context.card.calibration.decode, card_of(context.card),
                                             shape, batch);
    launch.work = perf::decode_work(cost, {batch, batch * kv, kv});
  } else {
    launch.kernel = "prefill attention";
    const std::vector<perf::Chunk> chunks(static_cast<std::size_t>(batch), perf::Chunk{q, kv});
    launch.work = perf::prefill_attention(context.card.calibration.prefill, card_of(context.card),
                                          shape, chunks);
  }
  return launch;
}

std::optional<Launch> mixed_launch(const LaunchContext& context, const CsvCells& row) {
  const auto shape = shape_of(32, 8, 128);  // Llama-3.1-8B, the only model of the tables
  const std::int64_t chunk = whole(row, "prefill_chunk"), count = whole(row, "n_decode");
  if (chunk == 0 || count == 0 || !context.card.calibration.mixed) return std::nullopt;
  const std::int64_t kv = chunk + whole(row, "kv_prefill"),
                     context_tokens = whole(row, "kv_decode");
  const std::vector<perf::Chunk> chunks{{chunk, kv}};
  Launch launch;
  launch.kernel = "mixed attention";
  launch.key = {{chunk, count}, kv};
  launch.operands_known = true;
  launch.shape = fmt::format("{} of {} with {} x {}", chunk, kv, count, context_tokens);
  launch.work = perf::mixed_attention(context.card.calibration, card_of(context.card), shape,
                                      chunks, {count, count * context_tokens, context_tokens});
  return launch;
}

}  // namespace gpucap::validate

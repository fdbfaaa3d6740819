#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "attention_reference.hpp"
#include "errors.hpp"
#include "kernel_task.hpp"
#include "kernels/kernels.hpp"
#include "read_back.hpp"
#include "tasks.hpp"

namespace gpucap::measure::cuda {

namespace {

/// 1 / sqrt(head_dim), and powers of two instead of e.
float score_scale(const Attention& work) {
  return static_cast<float>(std::numbers::log2e / std::sqrt(static_cast<double>(work.head_dim)));
}

int as_int(std::int64_t value) {
  return static_cast<int>(value);
}

constexpr double tolerance = 0x1p-8;  ///< FP16 weights, summed up with others of their rounding

/// Three operands of FP16 numbers by rows of head_dim.
void fill_rows(OperandSets& sets, const AttentionReference& reference) {
  const AttentionReference& r = reference;
  const std::int64_t d = r.work.head_dim;
  sets.fill(0, r.q.number, {r.work.batch * r.work.q * r.work.heads, d, d}, r.q.seed);
  sets.fill(1, r.k.number, {r.kv_rows(), d, d}, r.k.seed);
  sets.fill(2, r.v.number, {r.kv_rows(), d, d}, r.v.seed);
}

double error_of(const AttentionReference& reference, const void* out) {
  const Attention& work = reference.work;
  Deviation deviation;
  const std::int64_t rows = work.batch * work.q * work.heads;
  const std::int64_t most = std::clamp<std::int64_t>((1 << 22) / (work.kv * work.head_dim), 2, 64);
  for (const std::int64_t row : sampled(rows, most, reference.q.seed)) {
    const std::vector<double> expected = reference.row(row);
    for (std::int64_t i = 0; i < work.head_dim; ++i) {
      deviation.add(read_number(out, row * work.head_dim + i, Number::fp16),
                    expected[static_cast<std::size_t>(i)]);
    }
  }
  return deviation.relative();
}

TaskOwner prepare_prefill(const Card& card, const Attention& work, std::uint64_t seed) {
  const AttentionReference reference(work, seed, {});
  const std::int64_t row = 2 * work.head_dim, q_rows = work.batch * work.q * work.heads;
  OperandSets sets(
      card, {q_rows * row, reference.kv_rows() * row, reference.kv_rows() * row, q_rows * row});
  fill_rows(sets, reference);
  sets.spread();
  KernelWork kernel;
  kernel.tolerance = tolerance;
  kernel.launch = [work](const OperandSet& set, cudaStream_t stream) {
    const PrefillOperands o = {set[0],
                               set[1],
                               set[2],
                               set[3],
                               as_int(work.heads),
                               as_int(work.kv_heads),
                               as_int(work.head_dim),
                               as_int(work.batch),
                               as_int(work.q),
                               as_int(work.kv)};
    check(attend(o, score_scale(work), stream), "attend");
  };
  kernel.error = [reference](const OperandSet& set) { return error_of(reference, set[3]); };
  return std::make_unique<KernelTask>(card, std::move(sets), std::move(kernel));
}

int splits_of(const Card& card, const Attention& work) {
  const std::int64_t others =
      work.batch * work.kv_heads * DecodeTile::row_tiles(as_int(work.heads), as_int(work.kv_heads));
  constexpr std::int64_t warps_per_processor = 16;
  return DecodeTile::splits(PagedCache::blocks(as_int(work.kv)), others,
                            card.processors * warps_per_processor);
}

DecodeOperands decode_operands(const Attention& work, int splits, const OperandSet& set) {
  return {set[0],
          set[1],
          set[2],
          static_cast<const int*>(set[3]),
          set[4],
          static_cast<float*>(set[5]),
          static_cast<float*>(set[6]),
          as_int(work.heads),
          as_int(work.kv_heads),
          as_int(work.head_dim),
          as_int(work.batch),
          as_int(work.kv),
          splits};
}

TaskOwner prepare_decode(const Card& card, const Attention& work, std::uint64_t seed) {
  const std::vector<int> table =
      shuffled_blocks(as_int(work.batch) * PagedCache::blocks(as_int(work.kv)), seed + 3);
  const AttentionReference reference(work, seed, table);
  const int splits = splits_of(card, work);
  const std::int64_t row = 2 * work.head_dim, heads = work.batch * work.heads;
  const auto table_bytes = static_cast<std::int64_t>(table.size() * sizeof(int));
  OperandSets sets(card,
                   {heads * row, reference.kv_rows() * row, reference.kv_rows() * row, table_bytes,
                    heads * row, heads * splits * work.head_dim * 4, heads * splits * 4});
  fill_rows(sets, reference);
  sets.upload(3, table.data(), static_cast<std::size_t>(table_bytes));
  sets.spread();
  KernelWork kernel;
  kernel.tolerance = tolerance;
  kernel.launch = [work, splits](const OperandSet& set, cudaStream_t stream) {
    check(attend(decode_operands(work, splits, set), score_scale(work), stream), "attend");
  };
  kernel.error = [reference](const OperandSet& set) { return error_of(reference, set[4]); };
  return std::make_unique<KernelTask>(card, std::move(sets), std::move(kernel));
}

}  // namespace

Names implementations(const Card&, const Attention& work) {
  constexpr std::int64_t most_in_grid = 65535, most = std::numeric_limits<int>::max() / 16;
  const bool sound = work.heads > 0 && work.kv_heads > 0 && work.heads % work.kv_heads == 0 &&
                     (work.head_dim == 64 || work.head_dim == 128) && work.batch > 0 &&
                     work.q > 0 && work.q <= work.kv;
  const bool small = work.heads <= most_in_grid && work.batch <= most_in_grid && work.kv <= most &&
                     work.batch * work.kv <= most && work.batch * work.heads <= most;
  return sound && small ? Names{"mma"} : Names{};
}

TaskOwner prepare(const Card& card, const Attention& work, std::uint64_t seed) {
  return work.q == 1 ? prepare_decode(card, work, seed) : prepare_prefill(card, work, seed);
}

}  // namespace gpucap::measure::cuda

#include <cmath>

#include "errors.hpp"
#include "kernel_task.hpp"
#include "kernels/kernels.hpp"
#include "read_back.hpp"
#include "reference.hpp"
#include "tasks.hpp"

namespace gpucap::measure::cuda {

namespace {

constexpr float triad_factor = 0.375F;
constexpr std::int64_t checked = 1024;

/// FP32 numbers, `count` of them, as a matrix of one row.
Matrix row_of(std::int64_t count) {
  return {1, count, count};
}

TaskOwner prepare_copy(const Card& card, std::int64_t chunks, std::uint64_t seed) {
  const std::int64_t numbers = 4 * chunks;
  OperandSets sets(card, {16 * chunks, 16 * chunks});
  sets.fill(0, Number::fp32, row_of(numbers), seed);
  sets.spread();
  KernelWork work;
  work.launch = [chunks](const OperandSet& set, cudaStream_t stream) {
    check(copy(set[0], set[1], chunks, stream), "copy");
  };
  work.error = [numbers, seed](const OperandSet& set) {
    Deviation deviation;
    for (const std::int64_t i : sampled(numbers, checked, seed)) {
      deviation.add(read_number(set[1], i, Number::fp32), Drawn{Number::fp32, seed}(i));
    }
    return deviation.relative();
  };
  return std::make_unique<KernelTask>(card, std::move(sets), std::move(work));
}

TaskOwner prepare_triad(const Card& card, std::int64_t chunks, std::uint64_t seed) {
  const std::int64_t numbers = 4 * chunks;
  OperandSets sets(card, {16 * chunks, 16 * chunks, 16 * chunks});
  const Drawn b{Number::fp32, seed}, c{Number::fp32, seed + 1};
  sets.fill(0, b.number, row_of(numbers), b.seed);
  sets.fill(1, c.number, row_of(numbers), c.seed);
  sets.spread();
  KernelWork work;
  work.tolerance = std::ldexp(1.0, -22);
  work.launch = [chunks](const OperandSet& set, cudaStream_t stream) {
    check(triad(set[0], set[1], set[2], triad_factor, chunks, stream), "triad");
  };
  work.error = [numbers, b, c](const OperandSet& set) {
    Deviation deviation;
    for (const std::int64_t i : sampled(numbers, checked, b.seed)) {
      deviation.add(read_number(set[2], i, Number::fp32),
                    b(i) + static_cast<double>(triad_factor) * c(i));
    }
    return deviation.relative();
  };
  return std::make_unique<KernelTask>(card, std::move(sets), std::move(work));
}

}  // namespace

std::int64_t chunks_of(Bytes bytes) {
  return ceil_div(std::llround(bytes.in(unit::byte)), 16LL);
}

Names implementations(const Card&, const Stream& work) {
  return chunks_of(work.bytes) > 0 ? Names{"kernel"} : Names{};
}

TaskOwner prepare(const Card& card, const Stream& work, std::uint64_t seed) {
  const std::int64_t chunks = chunks_of(work.bytes);
  return work.kind == Stream::Kind::copy ? prepare_copy(card, chunks, seed)
                                         : prepare_triad(card, chunks, seed);
}

}  // namespace gpucap::measure::cuda

#include <cmath>
#include <limits>

#include "errors.hpp"
#include "kernel_task.hpp"
#include "kernels/kernels.hpp"
#include "read_back.hpp"
#include "reference.hpp"
#include "tasks.hpp"

namespace gpucap::measure::cuda {

namespace {

constexpr double tolerance = 0x1p-9;  ///< two roundings to FP16
constexpr std::int64_t checked = 512;

Matrix fp16_matrix(std::int64_t rows, std::int64_t columns) {
  return {rows, columns, columns};
}

/// x and the residual, then weights; result and new residual.
TaskOwner prepare_norm(const Card& card, const Pass& work, std::uint64_t seed) {
  const std::int64_t bytes = 2 * work.tokens * work.width;
  OperandSets sets(card, {bytes, bytes, 2 * work.width, bytes, bytes});
  const Drawn x{Number::fp16, seed}, residual{Number::fp16, seed + 1},
      weight{Number::fp16, seed + 2};
  sets.fill(0, Number::fp16, fp16_matrix(work.tokens, work.width), x.seed);
  sets.fill(1, Number::fp16, fp16_matrix(work.tokens, work.width), residual.seed);
  sets.fill(2, Number::fp16, fp16_matrix(1, work.width), weight.seed);
  sets.spread();
  KernelWork kernel;
  kernel.tolerance = tolerance;
  kernel.launch = [work](const OperandSet& set, cudaStream_t stream) {
    const PassOperands o = {
        set[0], set[1], set[2], set[3], set[4], work.tokens, static_cast<int>(work.width)};
    check(rms_norm(o, stream), "rms_norm");
  };
  kernel.error = [=](const OperandSet& set) {
    Deviation deviation;
    for (const std::int64_t token : sampled(work.tokens, 8, seed)) {
      double squares = 0;
      for (std::int64_t i = token * work.width; i < (token + 1) * work.width; ++i) {
        squares += (x(i) + residual(i)) * (x(i) + residual(i));
      }
      const double scale = 1 / std::sqrt(squares / static_cast<double>(work.width) +
                                         static_cast<double>(norm_epsilon));
      for (const std::int64_t i : sampled(work.width, 64, seed)) {
        const std::int64_t at = token * work.width + i;
        const double sum = x(at) + residual(at);
        deviation.add(read_number(set[3], at, Number::fp16), sum * scale * weight(i));
        deviation.add(read_number(set[4], at, Number::fp16), sum);
      }
    }
    return deviation.relative();
  };
  return std::make_unique<KernelTask>(card, std::move(sets), std::move(kernel));
}

/// x, the table of angles (drawn numbers serve as well as cosines), result.
TaskOwner prepare_rope(const Card& card, const Pass& work, std::uint64_t seed) {
  const std::int64_t bytes = 2 * work.tokens * work.width;
  OperandSets sets(card, {bytes, 2 * work.tokens * RotaryTile::head_dim, bytes});
  const Drawn x{Number::fp16, seed}, angle{Number::fp16, seed + 1};
  sets.fill(0, Number::fp16, fp16_matrix(work.tokens, work.width), x.seed);
  sets.fill(1, Number::fp16, fp16_matrix(work.tokens, RotaryTile::head_dim), angle.seed);
  sets.spread();
  KernelWork kernel;
  kernel.tolerance = tolerance;
  kernel.launch = [work](const OperandSet& set, cudaStream_t stream) {
    const PassOperands o = {
        set[0], nullptr, set[1], set[2], nullptr, work.tokens, static_cast<int>(work.width)};
    check(rotate(o, stream), "rotate");
  };
  kernel.error = [=](const OperandSet& set) {
    Deviation deviation;
    for (const std::int64_t at : sampled(work.tokens * work.width, checked, seed)) {
      const std::int64_t token = at / work.width, within = at % RotaryTile::head_dim;
      const bool first = within < RotaryTile::half;
      const std::int64_t other = first ? at + RotaryTile::half : at - RotaryTile::half;
      const std::int64_t turn = token * RotaryTile::head_dim + within % RotaryTile::half;
      const double sine = angle(turn + RotaryTile::half);
      deviation.add(read_number(set[2], at, Number::fp16),
                    x(at) * angle(turn) + (first ? -1 : 1) * x(other) * sine);
    }
    return deviation.relative();
  };
  return std::make_unique<KernelTask>(card, std::move(sets), std::move(kernel));
}

TaskOwner prepare_silu(const Card& card, const Pass& work, std::uint64_t seed) {
  const std::int64_t bytes = 2 * work.tokens * work.width;
  OperandSets sets(card, {2 * bytes, bytes});
  const Drawn x{Number::fp16, seed};
  sets.fill(0, Number::fp16, fp16_matrix(work.tokens, 2 * work.width), x.seed);
  sets.spread();
  KernelWork kernel;
  kernel.tolerance = tolerance;
  kernel.launch = [work](const OperandSet& set, cudaStream_t stream) {
    const PassOperands o = {
        set[0], nullptr, nullptr, set[1], nullptr, work.tokens, static_cast<int>(work.width)};
    check(silu_multiply(o, stream), "silu_multiply");
  };
  kernel.error = [=](const OperandSet& set) {
    Deviation deviation;
    for (const std::int64_t at : sampled(work.tokens * work.width, checked, seed)) {
      const std::int64_t place = at / work.width * 2 * work.width + at % work.width;
      const double gate = x(place), value = x(place + work.width);
      deviation.add(read_number(set[1], at, Number::fp16), gate / (1 + std::exp(-gate)) * value);
    }
    return deviation.relative();
  };
  return std::make_unique<KernelTask>(card, std::move(sets), std::move(kernel));
}

}  // namespace

Names implementations(const Card&, const Pass& work) {
  constexpr std::int64_t most = std::numeric_limits<int>::max() / 2;
  const std::int64_t step = work.kind == Pass::Kind::rope ? RotaryTile::head_dim : 8;
  const bool sound = work.tokens > 0 && work.tokens <= most && work.width > 0 &&
                     work.width <= most && work.width % step == 0;
  return sound ? Names{"kernel"} : Names{};
}

TaskOwner prepare(const Card& card, const Pass& work, std::uint64_t seed) {
  switch (work.kind) {
    case Pass::Kind::rms_norm:
      return prepare_norm(card, work, seed);
    case Pass::Kind::rope:
      return prepare_rope(card, work, seed);
    case Pass::Kind::silu_mul:
      break;
  }
  return prepare_silu(card, work, seed);
}

}  // namespace gpucap::measure::cuda

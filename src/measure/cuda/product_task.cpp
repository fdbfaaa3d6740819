#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "cublaslt.hpp"
#include "errors.hpp"
#include "kernel_task.hpp"
#include "read_back.hpp"
#include "reference.hpp"
#include "tasks.hpp"

namespace gpucap::measure::cuda {

namespace {

/// What a product's number formats come to. INT8 has INT32 sums and results whatever `accumulate`
/// says, since there is nothing else; FP8 is E4M3 with BF16 results.
struct Kind {
  GemmFormat format;
  Number operands;
  Number result;  ///< not for INT8
  int result_bytes;
  int least_capability;  ///< compute capability that has the instruction
};

std::optional<Kind> kind_of(const Product& work) {
  const bool fp32_sums = work.accumulate == Dtype::fp32;
  switch (work.dtype) {
    case Dtype::bf16:
      if (fp32_sums) return Kind{GemmFormat::bf16, Number::bf16, Number::bf16, 2, 80};
      return std::nullopt;
    case Dtype::fp16:
      if (fp32_sums) return Kind{GemmFormat::fp16, Number::fp16, Number::fp16, 2, 75};
      if (work.accumulate != Dtype::fp16) return std::nullopt;
      return Kind{GemmFormat::fp16_sums, Number::fp16, Number::fp16, 2, 75};
    case Dtype::int8:
      return Kind{GemmFormat::int8, Number::int8, Number::int8, 4, 75};
    case Dtype::fp8:
      if (fp32_sums) return Kind{GemmFormat::e4m3, Number::e4m3, Number::bf16, 2, 89};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

bool fits(const Product& work) {
  constexpr std::int64_t most = std::numeric_limits<int>::max() / 2;
  return work.m > 0 && work.n > 0 && work.k > 0 && work.m <= most && work.n <= most &&
         work.k <= most;
}

/// Operands of the product without their places.
GemmOperands sizes_of(const Product& work, const Kind& kind) {
  const int bytes = format_of(kind.operands).bytes;
  GemmOperands g{};
  g.m = static_cast<int>(work.m);
  g.n = static_cast<int>(work.n);
  g.ab_pitch = aligned_matrix(1, work.k, bytes).pitch * bytes;
  g.d_columns = aligned_matrix(1, work.n, kind.result_bytes).pitch;
  return g;
}

GemmOperands placed(GemmOperands g, const OperandSet& set) {
  g.a = set[0];
  g.b = set[1];
  g.d = set[2];
  return g;
}

double tolerance_of(const Kind& kind, std::int64_t k) {
  switch (kind.format) {
    case GemmFormat::int8:
      return 0;  // a sum of k products of bytes stays below 2^31 up to k = 131,071
    case GemmFormat::fp16:
      return std::ldexp(1.0, -10);
    case GemmFormat::fp16_sums:  // each of k / 16 partial sums may be cut, always to one side
      return std::min(0.25, std::ldexp(2.0 + static_cast<double>(k) / 16, -11));
    case GemmFormat::bf16:
      return std::ldexp(1.0, -7);
    case GemmFormat::e4m3:  // and some tensor cores keep 14 bits of such a sum
      return std::ldexp(1.0, -7) + std::min(0.02, std::ldexp(static_cast<double>(k) / 32, -13));
  }
  return 0;
}

struct Check {
  Kind kind;
  Product work;
  Drawn a, b;

  [[nodiscard]] double reference(std::int64_t row, std::int64_t column) const {
    double sum = 0;
    for (std::int64_t i = 0; i < work.k; ++i) sum += a(row * work.k + i) * b(column * work.k + i);
    return sum;
  }
  [[nodiscard]] double error(const GemmOperands& g) const {
    Deviation deviation;
    const std::int64_t most = std::clamp<std::int64_t>((1 << 22) / work.k, 16, 512);
    for (const std::int64_t at : sampled(work.m * work.n, most, a.seed)) {
      const std::int64_t row = at / work.n, column = at % work.n;
      const std::int64_t place = row * g.d_columns + column;
      const double result = kind.format == GemmFormat::int8 ? read_int(g.d, place)
                                                            : read_number(g.d, place, kind.result);
      deviation.add(result, reference(row, column));
    }
    return deviation.relative();
  }
};

using Multiply = std::function<void(const GemmOperands&, cudaStream_t)>;

Multiply own(const Card& card, GemmFormat format) {
  return [format, processors = card.processors](const GemmOperands& g, cudaStream_t stream) {
    check(multiply(format, g, processors, stream), "multiply");
  };
}

Multiply by_library(const CublasLt& lt, GemmFormat format, const GemmOperands& sizes) {
  std::shared_ptr<LtProduct> plan = lt.plan(format, sizes);
  if (!plan) throw Unavailable("cuBLASLt offers no algorithm");
  const std::shared_ptr<void> workspace = device_memory(cublaslt_workspace);
  return [plan, workspace](const GemmOperands& g, cudaStream_t stream) {
    plan->multiply(g, workspace.get(), stream);
  };
}

}  // namespace

Names implementations(const Card& card, const CublasLt* lt, const Product& work) {
  Names names;
  const std::optional<Kind> kind = kind_of(work);
  if (!kind || !fits(work) || card.capability < kind->least_capability) return names;
  if (kind->format != GemmFormat::e4m3 || built_with_e4m3()) names.emplace_back("mma");
  if (lt != nullptr && lt->plan(kind->format, sizes_of(work, *kind))) {
    names.emplace_back("cublaslt");
  }
  return names;
}

TaskOwner prepare(const Card& card, const CublasLt* lt, const Product& work,
                  const std::string& implementation, std::uint64_t seed) {
  const Kind kind = kind_of(work).value();
  const GemmOperands sizes = sizes_of(work, kind);
  const int bytes = format_of(kind.operands).bytes;
  const Check check{kind, work, {kind.operands, seed}, {kind.operands, seed + 1}};
  OperandSets sets(card, {work.m * sizes.ab_pitch, work.n * sizes.ab_pitch,
                          work.m * sizes.d_columns * kind.result_bytes});
  sets.fill(0, kind.operands, aligned_matrix(work.m, work.k, bytes), check.a.seed);
  sets.fill(1, kind.operands, aligned_matrix(work.n, work.k, bytes), check.b.seed);
  sets.spread();
  const Multiply multiply = implementation == "cublaslt" && lt != nullptr
                                ? by_library(*lt, kind.format, sizes)
                                : own(card, kind.format);
  KernelWork kernel;
  kernel.tolerance = tolerance_of(kind, work.k);
  kernel.launch = [multiply, sizes](const OperandSet& set, cudaStream_t stream) {
    multiply(placed(sizes, set), stream);
  };
  kernel.error = [check, sizes](const OperandSet& set) { return check.error(placed(sizes, set)); };
  return std::make_unique<KernelTask>(card, std::move(sets), std::move(kernel));
}

}  // namespace gpucap::measure::cuda

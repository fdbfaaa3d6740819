#include "cublaslt.hpp"

#if __has_include(<cublasLt.h>)

#include "gpucap/measure/device.hpp"

#include <cublasLt.h>
#include <string>

#include "library.hpp"

namespace gpucap::measure::cuda {

namespace {

/// What the library refuses cannot be had from it; everything else goes on.
void check_lt(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Unavailable(std::string(call) + ": status " + std::to_string(status));
}

/// The functions that are used, with the types of the header.
struct Functions {
  decltype(&cublasLtCreate) create = nullptr;
  decltype(&cublasLtDestroy) destroy = nullptr;
  decltype(&cublasLtMatmul) matmul = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic = nullptr;
  decltype(&cublasLtMatmulDescCreate) desc_create = nullptr;
  decltype(&cublasLtMatmulDescDestroy) desc_destroy = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) desc_set = nullptr;
  decltype(&cublasLtMatrixLayoutCreate) layout_create = nullptr;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy = nullptr;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create = nullptr;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set = nullptr;

  explicit Functions(const Library& library) {
    library.bind(create, "cublasLtCreate");
    library.bind(destroy, "cublasLtDestroy");
    library.bind(matmul, "cublasLtMatmul");
    library.bind(heuristic, "cublasLtMatmulAlgoGetHeuristic");
    library.bind(desc_create, "cublasLtMatmulDescCreate");
    library.bind(desc_destroy, "cublasLtMatmulDescDestroy");
    library.bind(desc_set, "cublasLtMatmulDescSetAttribute");
    library.bind(layout_create, "cublasLtMatrixLayoutCreate");
    library.bind(layout_destroy, "cublasLtMatrixLayoutDestroy");
    library.bind(preference_create, "cublasLtMatmulPreferenceCreate");
    library.bind(preference_destroy, "cublasLtMatmulPreferenceDestroy");
    library.bind(preference_set, "cublasLtMatmulPreferenceSetAttribute");
  }
  [[nodiscard]] bool complete() const {
    return create != nullptr && destroy != nullptr && matmul != nullptr && heuristic != nullptr &&
           desc_create != nullptr && desc_destroy != nullptr && desc_set != nullptr &&
           layout_create != nullptr && layout_destroy != nullptr && preference_create != nullptr &&
           preference_destroy != nullptr && preference_set != nullptr;
  }
};

struct Loaded {
  Library library;
  Functions call;
  cublasLtHandle_t handle = nullptr;

  explicit Loaded(const Library& found) : library(found), call(found) {}
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  ~Loaded() {
    if (handle != nullptr) call.destroy(handle);
  }
};

/// Types of a product: operands, result, sums, and the factor of the product.
struct Types {
  cudaDataType_t operands, result;
  cublasComputeType_t sums;
  cudaDataType_t factor;
};

Types types_of(GemmFormat format) {
  switch (format) {
    case GemmFormat::fp16:
      return {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    case GemmFormat::fp16_sums:
      return {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, CUDA_R_16F};
    case GemmFormat::bf16:
      return {CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    case GemmFormat::int8:
      return {CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I};
    case GemmFormat::e4m3:
      break;
  }
#if CUDART_VERSION >= 11080
  return {CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F};
#else
  throw Unavailable("cuBLASLt of this build knows no FP8");
#endif
}

/// The bits of one and zero as the factor's type.
struct Factors {
  std::uint32_t one, zero;
};
Factors factors_of(cudaDataType_t type) {
  if (type == CUDA_R_16F) return {0x3C00, 0};
  if (type == CUDA_R_32I) return {1, 0};
  return {0x3F800000, 0};
}

/// cuBLASLt counts by columns: what lies by rows is transposed to it. So the product is D^T =
/// B A^T, with our B (n rows of k) as its left operand, transposed, and our A as its right one.
class LtPlan : public LtProduct {
 public:
  LtPlan(std::shared_ptr<const Loaded> lt, GemmFormat format, const GemmOperands& g)
      : lt_(std::move(lt)), types_(types_of(format)) {
    const Functions& call = lt_->call;
    check_lt(call.desc_create(&product_, types_.sums, types_.factor), "cublasLtMatmulDescCreate");
    const cublasOperation_t transposed = CUBLAS_OP_T;
    check_lt(call.desc_set(product_, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof(transposed)),
             "cublasLtMatmulDescSetAttribute");
    const int bytes = types_.operands == CUDA_R_8I || format == GemmFormat::e4m3 ? 1 : 2;
    const std::int64_t pitch = g.ab_pitch / bytes;
    make_layout(left_, types_.operands, pitch, g.n, pitch);
    make_layout(right_, types_.operands, pitch, g.m, pitch);
    make_layout(result_, types_.result, g.n, g.m, g.d_columns);
  }
  LtPlan(const LtPlan&) = delete;
  LtPlan& operator=(const LtPlan&) = delete;
  ~LtPlan() override {
    const Functions& call = lt_->call;
    for (cublasLtMatrixLayout_t layout : {left_, right_, result_}) {
      if (layout != nullptr) call.layout_destroy(layout);
    }
    if (product_ != nullptr) call.desc_destroy(product_);
  }

  /// Whether there is an algorithm.
  bool choose() {
    const Functions& call = lt_->call;
    cublasLtMatmulPreference_t preference = nullptr;
    check_lt(call.preference_create(&preference), "cublasLtMatmulPreferenceCreate");
    const std::size_t workspace = cublaslt_workspace;
    call.preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                        sizeof(workspace));
    cublasLtMatmulHeuristicResult_t found{};
    int count = 0;
    const cublasStatus_t status = call.heuristic(lt_->handle, product_, left_, right_, result_,
                                                 result_, preference, 1, &found, &count);
    call.preference_destroy(preference);
    algorithm_ = found.algo;
    return status == CUBLAS_STATUS_SUCCESS && count > 0;
  }

  void multiply(const GemmOperands& g, void* workspace, cudaStream_t stream) const override {
    const Factors factors = factors_of(types_.factor);
    check_lt(lt_->call.matmul(lt_->handle, product_, &factors.one, g.b, left_, g.a, right_,
                              &factors.zero, g.d, result_, g.d, result_, &algorithm_, workspace,
                              cublaslt_workspace, stream),
             "cublasLtMatmul");
  }

 private:
  void make_layout(cublasLtMatrixLayout_t& layout, cudaDataType_t type, std::int64_t rows,
                   std::int64_t columns, std::int64_t pitch) {
    check_lt(lt_->call.layout_create(&layout, type, static_cast<std::uint64_t>(rows),
                                     static_cast<std::uint64_t>(columns), pitch),
             "cublasLtMatrixLayoutCreate");
  }

  std::shared_ptr<const Loaded> lt_;
  Types types_;
  cublasLtMatmulDesc_t product_ = nullptr;
  cublasLtMatrixLayout_t left_ = nullptr, right_ = nullptr, result_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
};

class CublasLtLibrary : public CublasLt {
 public:
  explicit CublasLtLibrary(std::shared_ptr<const Loaded> lt) : lt_(std::move(lt)) {}
  [[nodiscard]] std::unique_ptr<LtProduct> plan(GemmFormat format,
                                                const GemmOperands& g) const override {
    auto plan = std::make_unique<LtPlan>(lt_, format, g);
    if (!plan->choose()) return nullptr;
    return plan;
  }

 private:
  std::shared_ptr<const Loaded> lt_;
};

}  // namespace

std::unique_ptr<CublasLt> CublasLt::find() {
  const auto library =
      Library::find({"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"});
  if (!library) return nullptr;
  auto lt = std::make_shared<Loaded>(*library);
  if (!lt->call.complete() || lt->call.create(&lt->handle) != CUBLAS_STATUS_SUCCESS) return nullptr;
  return std::make_unique<CublasLtLibrary>(std::move(lt));
}

}  // namespace gpucap::measure::cuda

#else

namespace gpucap::measure::cuda {

std::unique_ptr<CublasLt> CublasLt::find() {
  return nullptr;
}

}  // namespace gpucap::measure::cuda

#endif

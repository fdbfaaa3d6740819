#pragma once

#include <memory>

#include "kernels/kernels.hpp"

namespace gpucap::measure::cuda {

constexpr std::int64_t cublaslt_workspace = 32 << 20;  ///< bytes that it may use

/// One product with the algorithm that cuBLASLt's heuristic names first.
class LtProduct {
 public:
  virtual ~LtProduct() = default;
  /// `workspace`: cublaslt_workspace bytes on the device.
  virtual void multiply(const GemmOperands& g, void* workspace, cudaStream_t stream) const = 0;
};

/// NVIDIA's library of matrix products, when the system has it and the build had its header.
class CublasLt {
 public:
  virtual ~CublasLt() = default;
  /// nullptr: the library is absent.
  static std::unique_ptr<CublasLt> find();
  /// nullptr: it offers no algorithm. Of `g` only the sizes count.
  [[nodiscard]] virtual std::unique_ptr<LtProduct> plan(GemmFormat format,
                                                        const GemmOperands& g) const = 0;
};

}  // namespace gpucap::measure::cuda

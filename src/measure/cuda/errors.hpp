#pragma once

#include <cuda_runtime_api.h>
#include <stdexcept>

namespace gpucap::measure::cuda {

/// A call of the CUDA runtime or of one of its libraries failed; the message names the call.
class CudaError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws Unavailable when memory ran out, CudaError for everything else but success.
void check(cudaError_t result, const char* call);

}  // namespace gpucap::measure::cuda

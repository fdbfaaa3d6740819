#include "errors.hpp"

#include "gpucap/measure/device.hpp"

#include <string>

namespace gpucap::measure::cuda {

void check(cudaError_t result, const char* call) {
  if (result == cudaSuccess) return;
  cudaGetLastError();  // forgets it, as far as it can be forgotten
  const std::string text = std::string(call) + ": " + cudaGetErrorString(result);
  if (result == cudaErrorMemoryAllocation) throw Unavailable(text);
  throw CudaError(text);
}

}  // namespace gpucap::measure::cuda

#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>
#include <memory>

namespace gpucap::measure::cuda {

struct FreeDeviceMemory {
  void operator()(void* memory) const { cudaFree(memory); }
};
struct FreePinnedMemory {
  void operator()(void* memory) const { cudaFreeHost(memory); }
};
struct DestroyStream {
  void operator()(CUstream_st* stream) const { cudaStreamDestroy(stream); }
};
struct DestroyEvent {
  void operator()(CUevent_st* event) const { cudaEventDestroy(event); }
};
struct DestroyGraph {
  void operator()(CUgraphExec_st* graph) const { cudaGraphExecDestroy(graph); }
};

using DeviceMemory = std::unique_ptr<void, FreeDeviceMemory>;
using PinnedMemory = std::unique_ptr<void, FreePinnedMemory>;
using StreamOwner = std::unique_ptr<CUstream_st, DestroyStream>;
using EventOwner = std::unique_ptr<CUevent_st, DestroyEvent>;
using GraphOwner = std::unique_ptr<CUgraphExec_st, DestroyGraph>;

// All belong to the device that is current when they are made. Memory throws Unavailable when there
// is too little, everything CudaError.

void use_device(int index);
DeviceMemory device_memory(std::size_t bytes);
PinnedMemory pinned_memory(std::size_t bytes);
StreamOwner make_stream();
EventOwner make_event();

}  // namespace gpucap::measure::cuda

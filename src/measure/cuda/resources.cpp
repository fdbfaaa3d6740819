#include "resources.hpp"

#include "errors.hpp"

namespace gpucap::measure::cuda {

void use_device(int index) {
  check(cudaSetDevice(index), "cudaSetDevice");
}

DeviceMemory device_memory(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes), "cudaMalloc");
  return DeviceMemory(memory);
}

PinnedMemory pinned_memory(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMallocHost(&memory, bytes), "cudaMallocHost");
  return PinnedMemory(memory);
}

StreamOwner make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  return StreamOwner(stream);
}

EventOwner make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event), "cudaEventCreate");
  return EventOwner(event);
}

}  // namespace gpucap::measure::cuda

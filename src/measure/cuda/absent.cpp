#include "gpucap/measure/device.hpp"

namespace gpucap::measure {

std::unique_ptr<Device> open_cuda(int) {
  throw Unavailable("this build has no CUDA: it was configured without nvcc");
}

}  // namespace gpucap::measure

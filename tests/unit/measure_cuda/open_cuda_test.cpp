#include "gpucap/measure/device.hpp"

#include <dlfcn.h>

#include "support/catch.hpp"

using namespace gpucap::measure;

TEST_CASE("without a driver, open_cuda says what is missing") {
  if (void* driver = dlopen("libcuda.so.1", RTLD_LAZY)) {
    dlclose(driver);
    WARN("skipped: a driver is loaded here");
    return;
  }
  try {
    open_cuda(0);
    FAIL("a device without a driver");
  } catch (const Unavailable& missing) {
    const std::string text = missing.what();
    INFO(text);
    CHECK((text == "no NVIDIA driver is loaded (libcuda.so.1 not found)" ||
           text == "this build has no CUDA: it was configured without nvcc"));
  }
}

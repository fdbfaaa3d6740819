#include "gpucap/catalog/conv_nets.hpp"
#include "gpucap/perf/conv_net_work.hpp"

#include "support/catch.hpp"

using namespace gpucap;

namespace {

models::ConvNet resnet() {
  return catalog::load_conv_nets(GPUCAP_SOURCE_DIR).at("resnet-50");
}

const perf::Card ideal{100 * unit::TFLOP_per_s, 1e9 * unit::GB_per_s, 100};

perf::Calibration calibration() {
  perf::Calibration fits;
  fits.gemm.ec = fits.gemm.eb = 1;
  return fits;
}

}  // namespace

TEST_CASE("ResNet-50 has the published parameters and 4.09e9 multiply-adds an image") {
  const auto net = resnet();
  CHECK(models::parameters(net) == 25557032);
  CHECK(models::flops_per_image(net) == 2 * 4089184256.0);
}

TEST_CASE("a convolution is a product of positions x channels x inputs under the kernel, by hand") {
  models::ConvNet one;
  one.layers = {{"conv", 3, 64, 7, 7, 224, 224, 112, 112}};
  // 147 inputs for each of 64 x 112 x 112 outputs, each multiplied and added; norm of 2 x 64.
  CHECK(models::flops_per_image(one) == 2.0 * 147 * 64 * 112 * 112);
  CHECK(models::parameters(one) == 64 * 147 + 128);
  CHECK(models::peak_activations_per_image(one) == 3 * 224 * 224 + 64 * 112 * 112);
}

TEST_CASE("with arithmetic alone a pass takes the FLOPs of its images at the peak") {
  const auto work = perf::conv_net_pass(calibration(), ideal, resnet(), 8);
  CHECK(work.flops.base() == Approx(8 * 2 * 4089184256.0));
  CHECK(work.time().in(unit::ms) == Approx(8 * 2 * 4089184256.0 / 100e12 * 1e3).epsilon(1e-3));
}

TEST_CASE("an input is read once, however large the kernel") {
  models::ConvNet one;
  one.layers = {{"conv", 16, 32, 3, 3, 28, 28, 28, 28}};
  const auto work = perf::conv_net_pass(calibration(), ideal, one, 2);
  const double product = 2.0 * (2 * 16 * 28 * 28 + 2 * 32 * 28 * 28 + 32 * 16 * 9);
  const double pass = 2.0 * 2 * 2 * 32 * 28 * 28;  // each output once more in and out
  CHECK(work.bytes.base() == Approx(product + pass));
}

TEST_CASE("memory is weights and the largest input with its output, in 16 bits") {
  const auto net = resnet();
  const double per_image = (perf::conv_net_memory(net, 2) - perf::conv_net_memory(net, 1)).base();
  // The second stage begins with 256 channels in and 128 out at 56 x 56.
  CHECK(per_image == 2.0 * (256 + 128) * 56 * 56);
  CHECK(perf::conv_net_memory(net, 1).base() - per_image == 2.0 * 25557032);
}

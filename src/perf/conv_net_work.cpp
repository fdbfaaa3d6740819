#include "gpucap/perf/conv_net_work.hpp"

namespace gpucap::perf {
namespace {

constexpr double bytes_per_number = 2;

/// A product would read each input once for every position of the kernel that covers it; a
/// convolution reads it once. The mean width of activations carries the difference.
GemmShape product_of(const models::Convolution& layer, std::int64_t images) {
  GemmShape shape;
  shape.m = images * layer.output_height * layer.output_width;
  shape.n = layer.out;
  shape.k = models::inputs_per_output(layer);
  const auto inputs =
      static_cast<double>(images * layer.in * layer.input_height * layer.input_width);
  const auto outputs = static_cast<double>(shape.m * shape.n);
  const auto counted = static_cast<double>(shape.m * (shape.k + shape.n));
  shape.weight_bytes = bytes_per_number;
  shape.activation_bytes = bytes_per_number * (inputs + outputs) / counted;
  return shape;
}

}  // namespace

Work conv_net_pass(const Calibration& calibration, const Card& card, const models::ConvNet& net,
                   std::int64_t images) {
  Work work;
  for (const models::Convolution& layer : net.layers) {
    const GemmShape shape = product_of(layer, images);
    const auto outputs = static_cast<double>(shape.m * shape.n);
    const Bytes streamed = 2 * bytes_per_number * outputs * unit::byte;
    Work one = gemm(calibration.gemm, card, shape);
    one += elementwise(calibration.elementwise.t0, card, streamed);
    work += one.times(static_cast<double>(layer.count));
  }
  return work;
}

Bytes conv_net_memory(const models::ConvNet& net, std::int64_t images) {
  const auto numbers = models::parameters(net) + images * models::peak_activations_per_image(net);
  return bytes_per_number * static_cast<double>(numbers) * unit::byte;
}

}  // namespace gpucap::perf

#include "gpucap/models/conv_net.hpp"

#include <algorithm>

namespace gpucap::models {

std::int64_t outputs(const Convolution& layer) {
  return layer.out * layer.output_height * layer.output_width;
}

std::int64_t inputs(const Convolution& layer) {
  return layer.in * layer.input_height * layer.input_width;
}

std::int64_t outputs(const Join& join) {
  return join.channels * join.output_height * join.output_width;
}

std::int64_t inputs(const Join& join) {
  return join.channels * join.input_height * join.input_width;
}

std::int64_t inputs_per_output(const Convolution& layer) {
  return layer.in * layer.kernel_height * layer.kernel_width;
}

std::int64_t parameters(const ConvNet& net) {
  std::int64_t count = 0;
  for (const Convolution& layer : net.layers) {
    const std::int64_t vectors = (layer.norm ? 2 : 0) + (layer.bias ? 1 : 0);
    count += layer.count * layer.out * (inputs_per_output(layer) + vectors);
  }
  return count;
}

double flops_per_image(const ConvNet& net) {
  double flops = 0;
  for (const Convolution& layer : net.layers) {
    flops += 2.0 * static_cast<double>(layer.count * outputs(layer) * inputs_per_output(layer));
  }
  return flops;
}

std::int64_t activations_per_image(const ConvNet& net) {
  std::int64_t count = 0;
  for (const Convolution& layer : net.layers) count += layer.count * outputs(layer);
  return count;
}

std::int64_t peak_activations_per_image(const ConvNet& net) {
  std::int64_t peak = 0;
  for (const Convolution& layer : net.layers) {
    peak = std::max(peak, inputs(layer) + outputs(layer));
  }
  return peak;
}

}  // namespace gpucap::models

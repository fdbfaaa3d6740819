#include "gpucap/training/conv_net_work.hpp"

#include <algorithm>

namespace gpucap::training {
namespace {

using models::Convolution;
using models::Join;

/// Passes over the outputs of a layer by the kernels behind a convolution, counted in
/// docs/models/training-convnets.md.
struct Passes {
  double forward = 0, backward = 0;
};
constexpr Passes norm{3, 5};       // moments, then read and write; two sums, then read 2 and write
constexpr Passes rectifier{2, 3};  // in place; gradient and output read, gradient written
constexpr Passes bias{2, 1};       // in place; summed
constexpr Passes sum{3, 3};        // of two branches; of their gradients where they parted
constexpr Passes concatenated{2, 2};

Passes passes_behind(const Convolution& layer) {
  Passes passes;
  const auto add = [&](bool present, const Passes& kernel) {
    if (!present) return;
    passes.forward += kernel.forward;
    passes.backward += kernel.backward;
  };
  add(layer.norm, norm);
  add(layer.activation, rectifier);
  add(layer.bias, bias);
  return passes;
}

void add_layer(ConvNetWork& work, const Convolution& layer, bool first) {
  const auto count = static_cast<double>(layer.count);
  const auto in = static_cast<double>(models::inputs(layer));
  const auto out = static_cast<double>(models::outputs(layer));
  const Flops product =
      2 * out * static_cast<double>(models::inputs_per_output(layer)) * unit::flop;
  const Passes behind = passes_behind(layer);
  // Backward: one product gives the gradient of the weights, one that of the input.
  const double products_back = first ? 1 : 2;
  work.forward.flops += count * product;
  work.backward.flops += count * products_back * product;
  work.forward.moved += count * (in + out * (1 + behind.forward));
  work.backward.moved += count * (products_back * (in + out) + out * behind.backward);
  work.conv_outputs += count * out;
}

void add_join(ConvNetWork& work, const Join& join) {
  const auto count = static_cast<double>(join.count);
  const auto in = static_cast<double>(models::inputs(join));
  const auto out = static_cast<double>(models::outputs(join));
  const bool pool = join.kind == Join::Kind::max_pool || join.kind == Join::Kind::average_pool;
  const Passes kernel = join.kind == Join::Kind::sum ? sum : concatenated;
  double forward = pool ? in + out : out * kernel.forward;
  double backward = pool ? in + out : out * kernel.backward;
  if (join.activation) {
    forward += out * rectifier.forward;
    backward += out * rectifier.backward;
  }
  work.forward.moved += count * forward;
  work.backward.moved += count * backward;
}

/// A norm keeps its input, a rectifier its output, which is also what the next convolution reads.
double saved(const Convolution& layer) {
  const double copies = (layer.norm ? 1 : 0) + (layer.activation ? 1 : 0);
  return copies * static_cast<double>(layer.count * models::outputs(layer));
}

double saved(const Join& join) {
  const bool kept = join.activation || join.kind != Join::Kind::sum;
  return kept ? static_cast<double>(join.count * models::outputs(join)) : 0;
}

/// Gradients of a layer's output before and after its norm, and of its input, less what the layers
/// behind it have given back by then.
double backward_temporary(const models::ConvNet& net) {
  double most = 0, given_back = 0;
  for (auto layer = net.layers.rbegin(); layer != net.layers.rend(); ++layer) {
    const auto held = static_cast<double>(2 * models::outputs(*layer) + models::inputs(*layer));
    most = std::max(most, held - given_back);
    given_back += saved(*layer);
  }
  return most;
}

}  // namespace

ConvNetWork conv_net_work(const models::ConvNet& net) {
  ConvNetWork work;
  for (const Convolution& layer : net.layers) {
    add_layer(work, layer, &layer == &net.layers.front());
  }
  for (const Join& join : net.joins) add_join(work, join);
  return work;
}

SavedPerImage saved_per_image(const models::ConvNet& net) {
  constexpr double index_bytes = 8;
  SavedPerImage kept;
  if (!net.layers.empty()) kept.numbers = static_cast<double>(models::inputs(net.layers.front()));
  for (const Convolution& layer : net.layers) kept.numbers += saved(layer);
  for (const Join& join : net.joins) {
    kept.numbers += saved(join);
    if (join.kind != Join::Kind::max_pool) continue;
    kept.indices +=
        index_bytes * static_cast<double>(join.count * models::outputs(join)) * unit::byte;
  }
  kept.temporary = backward_temporary(net);
  return kept;
}

}  // namespace gpucap::training

#pragma once

#include "gpucap/models/conv_net.hpp"
#include "gpucap/perf/calibration.hpp"
#include "gpucap/perf/kernel.hpp"

#include <cstdint>

namespace gpucap::perf {

/// One pass of a batch of images in 16 bits: each convolution as the product that it is (rows:
/// output positions, columns: output channels, depth: input channels x kernel), by the card's fit
/// of products, with its input read once; and one element-wise pass over each output (activation,
/// sum of branches; batch norms are folded into the weights). Not validated: no measured batch of
/// inference is at hand. docs/models/encoders-and-convnets.md
Work conv_net_pass(const Calibration& calibration, const Card& card, const models::ConvNet& net,
                   std::int64_t images);

/// Memory of such a pass: weights, and input and output of the largest layer.
Bytes conv_net_memory(const models::ConvNet& net, std::int64_t images);

}  // namespace gpucap::perf

#pragma once

#include "gpucap/models/conv_net.hpp"
#include "gpucap/units/quantity.hpp"

namespace gpucap::training {

/// What a pass over one image asks of a card, counted from the layer list with every kernel apart
/// and nothing kept in a cache: docs/models/training-convnets.md
struct ConvNetPass {
  Flops flops;
  double moved = 0;  ///< numbers read and written, weights not included
};

/// Training on one image. The first layer hands no gradient on to the image.
struct ConvNetWork {
  ConvNetPass forward, backward;
  double conv_outputs = 0;  ///< numbers that the convolutions put out
};
ConvNetWork conv_net_work(const models::ConvNet& net);

/// Numbers and indices kept for the backward pass, for one image.
struct SavedPerImage {
  double numbers = 0;    ///< at the width of the arithmetic, the image as the first layer reads it
  Bytes indices;         ///< where each maximum of a pool came from: 64 bits each
  double temporary = 0;  ///< numbers that the backward pass holds beyond `numbers` at its fullest
};
SavedPerImage saved_per_image(const models::ConvNet& net);

}  // namespace gpucap::training

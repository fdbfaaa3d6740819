#pragma once

#include "gpucap/perf/kernel.hpp"
#include "gpucap/training/question.hpp"
#include "gpucap/units/quantity.hpp"

namespace gpucap::training {

/// Updating the weights once per step.
struct Update {
  perf::Work card;  ///< kernels on the card, or waiting for the host
  Seconds copies;   ///< over the host link: gradients down and weights up, or paged states
  [[nodiscard]] Seconds time() const { return card.time() + copies; }
};

/// Bytes of device memory that updating one weight moves: gradient, weights and states, each read
/// and written as the settings keep them. Adam with an fp32 master copy 28, in pure 16 bits 14.
double update_bytes_per_weight(const Settings& settings);

/// Update of the `trained` weights that one rank updates, at the share of the bandwidth that
/// products reach when they read. With Offload::optimizer and beyond gradients go down, the host
/// updates (28 bytes a weight over its memory, all cards of a machine at once) and weights come
/// up; paged states go down and up.
Update weight_update(const Question& question, double trained);

/// One card's share of the link to its host, one way, as copies of pinned memory reach it.
Bandwidth host_link(const Question& question);

}  // namespace gpucap::training

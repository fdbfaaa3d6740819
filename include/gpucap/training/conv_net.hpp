#pragma once

#include "gpucap/hardware/gpu.hpp"
#include "gpucap/models/conv_net.hpp"
#include "gpucap/perf/calibration.hpp"
#include "gpucap/training/conv_net_work.hpp"
#include "gpucap/training/memory.hpp"
#include "gpucap/training/question.hpp"
#include "gpucap/training/step.hpp"
#include "gpucap/units/quantity.hpp"

namespace gpucap::training {

/// What bounds a convolution net on one card.
struct ConvNetRates {
  FlopRate products;    ///< of large products in the arithmetic asked for, under the power cap
  Bandwidth bandwidth;  ///< nominal
  Frequency cycles;     ///< of all SMs together at the boost clock
  double number_bytes = 2;
};

/// Throws std::out_of_range when the card has no such arithmetic.
ConvNetRates conv_net_rates(const hardware::Gpu& gpu, const perf::Calibration& calibration,
                            Dtype arithmetic);

/// The three terms of the time of one image, forward and backward, not yet scaled by the constants
/// of a software class: FLOPs over their rate, bytes over the bandwidth, outputs of convolutions
/// over SM cycles.
struct ConvNetTerms {
  Seconds products, streams, cycles;
};
ConvNetTerms conv_net_terms(const ConvNetRates& rates, const ConvNetWork& work);

/// One optimiser step of a convolution net: training_step for that alternative of
/// Question::network. Throws std::invalid_argument when layout_problem() is not empty.
StepTime conv_net_step(const Question& question, const models::ConvNet& net);

/// Memory of the fullest rank: training_footprint for that alternative.
Footprint conv_net_footprint(const Question& question, const models::ConvNet& net);

/// Sequences or images per second of the whole job, what durations of jobs are scaled by; in 1/s.
Frequency samples_per_second(const StepTime& step);

}  // namespace gpucap::training

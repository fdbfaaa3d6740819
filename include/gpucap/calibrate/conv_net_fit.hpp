#pragma once

#include "gpucap/core/dtype.hpp"
#include "gpucap/hardware/gpu.hpp"
#include "gpucap/models/conv_net.hpp"
#include "gpucap/perf/calibration.hpp"
#include "gpucap/training/software.hpp"

#include <string>
#include <utility>
#include <vector>

namespace gpucap::calibrate {

/// A measured training run of a convolution net on one card, at a batch that fills it.
struct ConvNetRun {
  const hardware::Gpu* gpu = nullptr;
  const perf::Calibration* calibration = nullptr;
  Dtype arithmetic = Dtype::fp16;
  double images_per_second = 0;
};

/// Errors are predicted / measured - 1 of the time of an image, in the order of the runs.
struct ConvNetFit {
  training::Software::Convolutions constants;
  /// By key of the file, 90 of 100; runs of one card count as one observation.
  std::vector<std::pair<std::string, std::pair<double, double>>> intervals;
  std::vector<double> errors;
  std::vector<double> left_out_errors;  ///< constants fitted without any run of that card
  double spread = 0;                    ///< root mean square of these
};

/// Finds traffic, cycles_narrow and cycles_wide of docs/models/training-convnets.md together, and
/// relative_error from the cards left out. Needs runs of two widths on at least three cards; else
/// throws std::invalid_argument.
ConvNetFit fit_conv_net(const models::ConvNet& net, const std::vector<ConvNetRun>& runs);

/// Time of one image by the fitted form alone, without optimiser, host and exchange.
Seconds conv_net_time(const training::Software::Convolutions& constants, const models::ConvNet& net,
                      const ConvNetRun& run);

}  // namespace gpucap::calibrate

#pragma once

#include "gpucap/calibrate/logged_case.hpp"
#include "gpucap/perf/calibration.hpp"
#include "gpucap/perf/engine_profile.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gpucap::calibrate {

/// The numbers that logs of served runs can say something about.
enum class LogNumber {
  ec,                ///< share of the peak, products and attention of prompts together
  eb,                ///< share of the bandwidth, products and attention of decodes together
  gap,               ///< host time of a step
  gap_per_sequence,  ///< host time of a step per running sequence
  front_end,         ///< host time of a request before it is scheduled
};

/// One of them before and after.
struct LogResult {
  LogNumber number = LogNumber::ec;
  std::string key;      ///< "ec"
  std::string meaning;  ///< in words
  std::string unit;     ///< of the numbers below; empty for shares
  double before = 0, after = 0;
  double standard_error = 0;  ///< of `after`, given prior and logs
  double prior = 0;           ///< deviation of the prior, as a share of the value in force
  double narrowed = 1;        ///< deviation after over that of the prior
  bool identified = false;
};

/// One measured figure beside the predictions with the numbers in force and with the fitted ones.
struct LogError {
  std::string run, metric, statistic;
  double measured = 0, before = 0, after = 0;  ///< seconds, or per second
  bool fitted = false;                         ///< decided the fit; else shown only
};

/// Measured figures that a set of fitted numbers and host times was refitted to.
struct LogFit {
  std::vector<LogResult> results;
  std::vector<LogError> errors;
  perf::Calibration calibration;                                   ///< with the identified numbers
  perf::EngineProfile profile;                                     ///< the same
  models::ProductKernels kernels = models::ProductKernels::plain;  ///< whose shares were sought
  double scatter = 0;             ///< deviation of ln(predicted / measured) that remains
  std::vector<std::string> left;  ///< numbers that were not sought, and why
};

/// Refits the numbers that the runs identify to the means and medians of their TTFT, TPOT and
/// latency, and to their throughput where the engine decided it, by simulating every run. All cases
/// are of one card, model and engine. docs/models/fit-from-logs.md
LogFit fit_logs(const std::vector<LoggedCase>& cases, const std::vector<LogNumber>& sought);

/// The numbers that runs of this model and format can identify; `left` says which cannot and why.
std::vector<LogNumber> sought_in(const LoggedCase& logged, std::vector<std::string>& left);

/// What the runs would be with these numbers: `after` of the errors holds the prediction.
std::vector<LogError> predict_logs(const std::vector<LoggedCase>& cases,
                                   const perf::Calibration* calibration,
                                   const perf::EngineProfile::Host* host);

}  // namespace gpucap::calibrate

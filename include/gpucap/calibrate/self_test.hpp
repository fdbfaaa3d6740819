#pragma once

#include "gpucap/calibrate/sample_table.hpp"
#include "gpucap/measure/samples.hpp"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace gpucap::calibrate {

/// One pass of the decoder: what the calibration says, and how long it took.
struct SelfTestPass {
  std::string phase;                       ///< "prefill" or "decode"
  std::int64_t sequences = 1, tokens = 0;  ///< of a prompt, or cached by each sequence
  Seconds predicted, measured;

  [[nodiscard]] double error() const { return predicted / measured - 1; }
};

/// The whole chain on this machine's processor: samples, fit, prediction, and the truth.
struct SelfTest {
  measure::Samples samples;
  std::string calibration;  ///< the file that was fitted and read again
  std::vector<SelfTestPass> passes;
  Seconds elapsed;

  [[nodiscard]] double median_error() const;  ///< of |predicted / measured - 1|, nearest rank
  [[nodiscard]] double worst_error() const;   ///< signed
};

/// Calibrates the processor with `threads` threads, fits, predicts prompts and decode steps of a
/// small decoder none of whose shapes was measured, runs that decoder and compares. Ends with fewer
/// passes when `stop` becomes true. Throws InputError when the samples cannot be fitted.
SelfTest self_test(int threads, Seconds time_limit, const std::string& date,
                   const std::atomic<bool>& stop,
                   const std::function<void(const std::string&)>& tell);

}  // namespace gpucap::calibrate

#pragma once

#include "gpucap/calibrate/sample.hpp"
#include "gpucap/perf/coefficient.hpp"
#include "gpucap/perf/kernel.hpp"

#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace gpucap::calibrate {

using perf::Bound;
using perf::Coefficient;

/// One part of a calibration with the launches that it is fitted to. Predictions come from
/// perf/kernel.hpp alone, so a fit cannot disagree with the simulator.
struct Form {
  std::string part;  ///< its key in the fit file: "gemm"
  std::vector<Coefficient> coefficients;
  std::vector<Measured> launches;
  std::vector<perf::Work> work;  ///< arithmetic and traffic of each launch; no times
  /// ln(seconds) of launches `chosen`, in that order, with all coefficients given in their units.
  std::function<void(std::span<const double> values, std::span<const std::size_t> chosen,
                     std::span<double> log_time)>
      predict;
};

/// The start cost and the passes of each kernel, which a plan names.
std::vector<Bound<perf::ElementwiseFit>> elementwise_coefficients(
    const std::vector<std::string>& symbols);  ///< of the kernels' passes

/// Puts values in the coefficients' units into the form's struct.
template <class Fit>
void put(Fit& fit, const std::vector<Bound<Fit>>& coefficients, std::span<const double> values) {
  for (std::size_t i = 0; i < coefficients.size(); ++i) coefficients[i].put(fit, values[i]);
}

/// Binds a list of coefficients, samples and a kernel into a form. `base` holds what is not a
/// coefficient, such as the number of ranks; `known` the values in force, if there are any.
template <class Fit, class Sample>
Form form_of(std::string part, std::vector<Bound<Fit>> coefficients, std::vector<Sample> samples,
             Fit base, const Fit* known,
             std::function<perf::Work(const Fit&, const Sample&)> kernel) {
  Form form;
  form.part = std::move(part);
  std::vector<double> start;
  for (Bound<Fit>& coefficient : coefficients) {
    coefficient.absent = coefficient.get(base);
    if (known != nullptr) coefficient.known = coefficient.get(*known);
    start.push_back(coefficient.start);
    form.coefficients.push_back(coefficient);
  }
  Fit first = base;
  put(first, coefficients, start);
  for (const Sample& sample : samples) {
    form.launches.push_back(sample.measured);
    form.work.push_back(kernel(first, sample));
  }
  form.predict = [coefficients = std::move(coefficients), samples = std::move(samples),
                  base = std::move(base), kernel = std::move(kernel)](
                     std::span<const double> values, std::span<const std::size_t> chosen,
                     std::span<double> log_time) {
    Fit fit = base;
    put(fit, coefficients, values);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      log_time[i] = std::log(kernel(fit, samples[chosen[i]]).time().base());
    }
  };
  return form;
}

/// Without tiles: on a processor, whose library does not compute by waves of them.
Form gemm_form(const perf::Card& card, std::vector<GemmSample> samples,
               const perf::GemmFit* known = nullptr, bool tiles = true);
Form prefill_form(const perf::Card& card, std::vector<AttentionSample> samples,
                  const perf::PrefillAttentionFit* known = nullptr);
Form decode_form(const perf::Card& card, std::vector<AttentionSample> samples,
                 const perf::DecodeAttentionFit* known = nullptr);
/// The bandwidth of decodes is that of `alone`.
Form mixed_form(const perf::Card& card, const perf::Calibration& alone,
                std::vector<AttentionSample> samples,
                const perf::MixedAttentionFit* known = nullptr);
Form elementwise_form(const perf::Card& card, const std::vector<std::string>& symbols,
                      std::vector<LayerSample> samples);
Form sampler_form(std::vector<SequenceSample> samples, const perf::SamplerFit* known = nullptr);

}  // namespace gpucap::calibrate

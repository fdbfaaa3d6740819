#include "step_notes.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpucap::training {

double step_error(const Question& question, const StepTime& step, double exchange_interval) {
  const double software = question.software.time.relative_error;
  if (software == 0) return 0;
  constexpr double eighty_of_100 = 1.2816;  // deviations of a normal distribution
  const double lent = eighty_of_100 * question.calibration.gemm_origin.transfer_spread;
  const double exchange = exchange_interval * (step.communication / step.time);
  return std::sqrt(software * software + lent * lent + exchange * exchange);
}

std::vector<std::string> step_notes(const Question& question, const models::Transformer& model) {
  std::vector<std::string> notes;
  const perf::Calibration& fits = question.calibration;
  if (!fits.gemm_origin.reason.empty()) {
    notes.push_back(
        fmt::format("matrix products of {}: {}", fits.gemm_origin.card, fits.gemm_origin.reason));
  }
  if (model.recurrent) notes.emplace_back("scans of recurrent layers are left out of the step");
  if (model.encoder) notes.emplace_back("no output head: fine-tuning, not masked pre-training");
  if (model.experts && question.settings.method != Method::full) {
    notes.emplace_back("routed experts carry no adapters");
  }
  if (model.experts) notes.emplace_back("steps of mixtures of experts are not validated");
  const auto& assumed = question.software.time.assumed;
  if (!assumed.empty()) {
    notes.push_back(fmt::format("assumed of the times of software class {}: {}",
                                question.software.id, fmt::join(assumed, ", ")));
  }
  return notes;
}

}  // namespace gpucap::training

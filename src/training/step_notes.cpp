#include "step_notes.hpp"

#include <cmath>
#include <optional>
#include <utility>

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

namespace {

/// Ways to spread a job that no measured run at hand has; the stated error does not cover them.
std::optional<std::string> unvalidated(const Question& question) {
  const Layout& layout = question.layout;
  const std::pair<const char*, bool> ways[] = {
      {"tensor parallelism", layout.tensor > 1},
      {"pipeline parallelism", layout.pipeline > 1},
      {"context parallelism", layout.context > 1},
      {"offload to the host", question.settings.offload != Offload::none}};
  std::vector<std::string> used;
  for (const auto& [name, is_used] : ways) {
    if (is_used) used.emplace_back(name);
  }
  if (used.empty()) return std::nullopt;
  return fmt::format("{}: not validated, and the stated error does not cover it",
                     fmt::join(used, ", "));
}

}  // namespace

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
    notes.emplace_back("products of adapters on routed experts are left out of the step");
  }
  if (model.experts) notes.emplace_back("steps of mixtures of experts are not validated");
  if (const auto ways = unvalidated(question)) notes.push_back(*ways);
  const auto& assumed = question.software.time.assumed;
  if (!assumed.empty()) {
    notes.push_back(fmt::format("assumed of the times of software class {}: {}",
                                question.software.id, fmt::join(assumed, ", ")));
  }
  return notes;
}

}  // namespace gpucap::training

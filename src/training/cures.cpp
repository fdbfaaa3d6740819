#include "gpucap/training/cures.hpp"

#include "gpucap/training/step.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

namespace gpucap::training {
namespace {

/// One setting of one knob.
struct Change {
  std::string what;
  std::function<void(Question&)> apply;
};
/// The ways to turn a knob further towards less memory; leaving it alone is not among them.
using Knob = std::vector<Change>;

template <class Value>
Change settings_change(Value Settings::*field, Value value, std::string what) {
  return {std::move(what),
          [field, value](Question& question) { question.settings.*field = value; }};
}

Knob recompute_knob(const Question& question) {
  Knob knob;
  if (std::holds_alternative<models::ConvNet>(question.network)) return knob;
  for (const Recompute value : {Recompute::selective, Recompute::full}) {
    if (value <= question.settings.recompute) continue;
    knob.push_back(
        settings_change(&Settings::recompute, value, fmt::format("recompute {}", name(value))));
  }
  return knob;
}

Knob optimizer_knob(const Question& question) {
  Knob knob;
  const Optimizer now = question.settings.optimizer;
  for (const Optimizer value : {Optimizer::adamw_8bit, Optimizer::adamw_8bit_paged}) {
    const bool adam = now == Optimizer::adamw || now == Optimizer::adamw_8bit;
    if (!adam || value <= now || question.settings.method != Method::full) continue;
    knob.push_back(
        settings_change(&Settings::optimizer, value, fmt::format("optimizer {}", name(value))));
  }
  return knob;
}

Knob sharding_knob(const Question& question) {
  Knob knob;
  if (question.layout.data * question.layout.context == 1) return knob;
  for (int stage = question.layout.zero + 1; stage <= 3; ++stage) {
    if (stage == 2 && question.settings.method != Method::full) continue;
    knob.push_back({fmt::format("zero {}", stage),
                    [stage](Question& changed) { changed.layout.zero = stage; }});
  }
  return knob;
}

Knob offload_knob(const Question& question) {
  Knob knob;
  for (const Offload value : {Offload::optimizer, Offload::params}) {
    if (value <= question.settings.offload) continue;
    knob.push_back(
        settings_change(&Settings::offload, value, fmt::format("offload {}", name(value))));
  }
  return knob;
}

/// The same batch in smaller pieces: half of them, and single samples.
Knob batch_knob(const Question& question) {
  Knob knob;
  const Settings& now = question.settings;
  for (const std::int64_t pieces : {std::int64_t{2}, now.micro_batch}) {
    if (pieces < 2 || now.micro_batch % pieces != 0) continue;
    if (pieces == now.micro_batch && pieces == 2 && !knob.empty()) continue;
    const std::int64_t micro_batch = now.micro_batch / pieces;
    const std::int64_t accum = now.grad_accum * pieces;
    knob.push_back({fmt::format("micro-batch {} x {}", micro_batch, accum),
                    [micro_batch, accum](Question& changed) {
                      changed.settings.micro_batch = micro_batch;
                      changed.settings.grad_accum = accum;
                    }});
  }
  return knob;
}

std::vector<Knob> knobs_of(const Question& question) {
  return {recompute_knob(question), optimizer_knob(question), sharding_knob(question),
          batch_knob(question), offload_knob(question)};
}

/// Where a cure starts from.
struct Start {
  Bytes peak;
  Seconds step;
};

std::optional<Cure> tried(const Question& question, std::string what, const Start& start) {
  if (layout_problem(question)) return std::nullopt;
  const Footprint footprint = training_footprint(question);
  const Seconds step = training_step(question).time;
  return Cure{std::move(what),
              question.settings,
              question.layout,
              start.peak - footprint.peak_allocated,
              step,
              step - start.step,
              footprint.feasible};
}

std::vector<Cure> single_cures(const Question& question, const Start& start) {
  std::vector<Cure> cures;
  for (const Knob& knob : knobs_of(question)) {
    for (const Change& change : knob) {
      Question changed = question;
      change.apply(changed);
      auto cure = tried(changed, change.what, start);
      if (cure && cure->saved > Bytes{}) cures.push_back(std::move(*cure));
    }
  }
  std::stable_sort(cures.begin(), cures.end(),
                   [](const Cure& one, const Cure& other) { return one.lost < other.lost; });
  return cures;
}

/// Goes through every combination of the knobs from `first` on, depth first, so that of equals the
/// one with fewer changes comes first.
void combine(const std::vector<Knob>& knobs, std::size_t first, const Question& question,
             const std::string& what, const Start& start, std::optional<Cure>& best) {
  if (first == knobs.size()) {
    if (what.empty()) return;
    auto cure = tried(question, what, start);
    if (cure && cure->fits && (!best || cure->step < best->step)) best = std::move(cure);
    return;
  }
  combine(knobs, first + 1, question, what, start, best);
  for (const Change& change : knobs[first]) {
    Question changed = question;
    change.apply(changed);
    const std::string joined = what.empty() ? change.what : what + " + " + change.what;
    combine(knobs, first + 1, changed, joined, start, best);
  }
}

}  // namespace

Cures find_cures(const Question& question) {
  const Footprint footprint = training_footprint(question);
  const Start start{footprint.peak_allocated, training_step(question).time};
  Cures cures{single_cures(question, start), std::nullopt};
  if (!footprint.feasible) combine(knobs_of(question), 0, question, "", start, cures.cheapest);
  return cures;
}

}  // namespace gpucap::training

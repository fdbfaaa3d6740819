#include "training_columns.hpp"

#include "gpucap/report/training.hpp"
#include "gpucap/study/training.hpp"

#include <functional>

#include "currency_prefix.hpp"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpucap::report {
namespace {

using evaluate::TrainingOutcome;
using training::Footprint;
using training::StepTime;
using Columns = std::vector<TrainingColumn>;

/// A getter that takes the outcome alone.
template <class Getter>
std::function<Cell(const TrainingRow&)> of(Getter getter) {
  return [getter](const TrainingRow& row) -> Cell { return getter(*row.outcome); };
}

template <class Part>
std::function<Cell(const TrainingRow&)> figure(Part TrainingOutcome::*part,
                                               std::optional<double> Part::*value) {
  return of([part, value](const TrainingOutcome& o) { return number_cell(o.*part.*value); });
}

std::string batch_text(const training::Settings& settings) {
  return fmt::format("{} x {}", settings.micro_batch, settings.grad_accum);
}

void add_identity(Columns& columns) {
  columns.push_back(
      {{"candidate", "CANDIDATE"}, of([](const TrainingOutcome& o) { return text_cell(o.name); })});
  columns.push_back({{"feasible", "FITS", Shown::yes_no},
                     of([](const TrainingOutcome& o) { return flag_cell(o.feasible); })});
  columns.push_back({{"reason", "reason"}, of([](const TrainingOutcome& o) {
                       return text_cell(o.reason.value_or(""));
                     })});
  columns.push_back(
      {{"gpu", "GPU"}, of([](const TrainingOutcome& o) { return text_cell(o.gpu); })});
  columns.push_back({{"gpu_count", "CARDS", Shown::count},
                     of([](const TrainingOutcome& o) { return Cell{std::int64_t{o.cards}}; })});
  columns.push_back(
      {{"layout", "LAYOUT"}, of([](const TrainingOutcome& o) { return layout_text(o.layout); })});
  columns.push_back(
      {{"batch", "BATCH"}, of([](const TrainingOutcome& o) { return batch_text(o.settings); })});
  columns.push_back({{"recompute", "recompute"}, of([](const TrainingOutcome& o) {
                       return std::string(training::name(o.settings.recompute));
                     })});
  columns.push_back({{"software", "software"},
                     of([](const TrainingOutcome& o) { return text_cell(o.software); })});
  columns.push_back({{"wins", "wins"}, [](const TrainingRow& row) { return text_cell(row.wins); }});
  columns.push_back({{"bottleneck", "bottleneck"}, of([](const TrainingOutcome& o) {
                       return o.bottleneck ? text_cell(std::string(perf::name(*o.bottleneck)))
                                           : Cell{};
                     })});
}

void add_memory(Columns& columns) {
  const std::pair<const char*, Bytes Footprint::*> parts[] = {
      {"weights", &Footprint::weights},
      {"gradients", &Footprint::gradients},
      {"optimizer", &Footprint::optimizer},
      {"activations", &Footprint::activations},
      {"other", &Footprint::other},
      {"free", &Footprint::free},
      {"peak_allocated", &Footprint::peak_allocated},
      {"peak_reserved", &Footprint::peak_reserved},
      {"load_peak", &Footprint::load_peak},
      {"host", &Footprint::host},
      {"checkpoint", &Footprint::checkpoint}};
  for (const auto& [name, part] : parts) {
    columns.push_back({{fmt::format("{}_gib", name), fmt::format("{} GiB", name), Shown::plain},
                       of([part = part](const TrainingOutcome& o) {
                         return o.memory ? number_cell(((*o.memory).*part).in(unit::GiB)) : Cell{};
                       })});
  }
  columns.push_back({{"needed_gib", "NEEDS GiB", Shown::plain}, of([](const TrainingOutcome& o) {
                       if (!o.memory) return Cell{};
                       const Footprint& f = *o.memory;
                       const Bytes all =
                           f.weights + f.gradients + f.optimizer + f.activations + f.other;
                       return number_cell(all.in(unit::GiB));
                     })});
}

void add_step(Columns& columns) {
  const std::pair<const char*, Seconds StepTime::*> parts[] = {
      {"step", &StepTime::time},
      {"compute", &StepTime::compute},
      {"communication", &StepTime::communication},
      {"optimizer", &StepTime::optimizer},
      {"bubble", &StepTime::bubble},
      {"offload", &StepTime::offload},
      {"straggle", &StepTime::straggle}};
  for (const auto& [name, part] : parts) {
    columns.push_back({{fmt::format("{}_s", name), name, Shown::seconds},
                       of([part = part](const TrainingOutcome& o) {
                         return o.step ? number_cell(((*o.step).*part).in(unit::s)) : Cell{};
                       })});
  }
  columns.push_back({{"step_error", "+-", Shown::percent}, of([](const TrainingOutcome& o) {
                       const bool known = o.step && o.step->relative_error > 0;
                       return known ? number_cell(o.step->relative_error) : Cell{};
                     })});
}

void add_throughput(Columns& columns) {
  using T = TrainingOutcome::Throughput;
  const auto add = [&](const char* name, const char* heading, Shown shown,
                       std::optional<double> T::*value) {
    columns.push_back({{name, heading, shown}, figure(&TrainingOutcome::throughput, value)});
  };
  add("tokens_per_s", "TOKENS/s", Shown::plain, &T::tokens_per_s);
  add("samples_per_s", "SAMPLES/s", Shown::plain, &T::samples_per_s);
  add("mfu", "MFU", Shown::percent, &T::mfu);
  add("hfu", "HFU", Shown::percent, &T::hfu);
  columns.push_back({{"run_steps", "run steps", Shown::count}, of([](const TrainingOutcome& o) {
                       return o.run.steps ? Cell{*o.run.steps} : Cell{};
                     })});
  columns.push_back({{"run_time_s", "RUN", Shown::hours},
                     of([](const TrainingOutcome& o) { return number_cell(o.run.time_s); })});
}

void add_cost(Columns& columns, std::optional<Currency> currency) {
  using C = TrainingOutcome::Cost;
  const std::string prefix = cost_prefix(currency);
  const auto add = [&](const char* name, const char* heading, std::optional<double> C::*value) {
    columns.push_back(
        {{prefix + name, heading, Shown::money}, figure(&TrainingOutcome::cost, value)});
  };
  add("per_hour", "per h", &C::per_hour);
  add("run", "per run", &C::run);
  add("per_month", "per month", &C::per_month);
  add("per_million_tokens", "per 1M tokens", &C::per_million_tokens);
  add("per_1000_samples", "per 1000 samples", &C::per_1000_samples);
  columns.push_back({{"relative_cost", "rel", Shown::plain},
                     [](const TrainingRow& row) { return number_cell(row.relative_cost); }});
}

void add_energy(Columns& columns) {
  using E = TrainingOutcome::Energy;
  const auto add = [&](const char* name, const char* heading, std::optional<double> E::*value) {
    columns.push_back({{name, heading, Shown::plain}, figure(&TrainingOutcome::energy, value)});
  };
  add("energy_kwh", "kWh", &E::kwh);
  add("mean_w", "mean W", &E::mean_w);
  add("joules_per_token", "J/token", &E::joules_per_token);
  add("joules_per_sample", "J/sample", &E::joules_per_sample);
  add("gco2e", "gCO2e", &E::gco2e);
  columns.push_back({{"energy_basis", "energy basis"}, of([](const TrainingOutcome& o) {
                       return o.energy.mean_w ? text_cell(o.energy.basis) : Cell{};
                     })});
}

void add_largest(Columns& columns) {
  using L = TrainingOutcome::Largest;
  const auto add = [&](const char* name, std::int64_t L::*size) {
    columns.push_back({{name, name, Shown::count}, of([size](const TrainingOutcome& o) {
                         return o.largest.*size > 0 ? Cell{o.largest.*size} : Cell{};
                       })});
  };
  add("largest_micro_batch", &L::micro_batch);
  add("largest_seq_len", &L::seq_len);
}

std::string victories(const study::TrainingWinners& best, std::size_t i) {
  std::vector<std::string> words;
  if (best.cost == i) words.emplace_back("cost");
  if (best.time == i) words.emplace_back("time");
  if (best.energy == i) words.emplace_back("energy");
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace

std::vector<TrainingColumn> training_columns(std::optional<Currency> currency) {
  Columns columns;
  add_identity(columns);
  add_memory(columns);
  add_step(columns);
  add_throughput(columns);
  add_cost(columns, currency);
  add_energy(columns);
  add_largest(columns);
  return columns;
}

std::vector<TrainingRow> rows_of(const TrainingReport& report) {
  const study::TrainingWinners best = study::winners(report.candidates);
  const TrainingOutcome* cheapest = best.cost ? &report.candidates[*best.cost] : nullptr;
  std::vector<TrainingRow> rows;
  for (std::size_t i = 0; i < report.candidates.size(); ++i) {
    const TrainingOutcome& outcome = report.candidates[i];
    rows.push_back({&outcome, study::relative_cost(outcome, cheapest), victories(best, i)});
  }
  return rows;
}

std::optional<Currency> currency_of(const TrainingReport& report) {
  for (const TrainingOutcome& outcome : report.candidates) {
    if (outcome.cost.currency) return outcome.cost.currency;
  }
  return std::nullopt;
}

std::string layout_text(const training::Layout& layout) {
  const std::pair<const char*, int> degrees[] = {{"data", layout.data},
                                                 {"tensor", layout.tensor},
                                                 {"pipeline", layout.pipeline},
                                                 {"context", layout.context}};
  std::vector<std::string> words;
  for (const auto& [name, degree] : degrees) {
    if (degree > 1) words.push_back(fmt::format("{} {}", name, degree));
  }
  std::string text = words.empty() ? "1 card" : fmt::format("{}", fmt::join(words, " x "));
  if (layout.expert > 1) text += fmt::format(", expert {}", layout.expert);
  if (layout.interleave > 1) text += fmt::format(", interleave {}", layout.interleave);
  if (layout.zero > 0) text += fmt::format(", zero {}", layout.zero);
  return text;
}

Listing training_summary(const TrainingReport& report) {
  const Columns columns = training_columns(currency_of(report));
  Listing listing;
  for (const auto& column : columns) listing.fields.push_back(column.field);
  for (const TrainingRow& row : rows_of(report)) {
    auto& cells = listing.rows.emplace_back();
    for (const auto& column : columns) cells.push_back(column.get(row));
  }
  return listing;
}

}  // namespace gpucap::report

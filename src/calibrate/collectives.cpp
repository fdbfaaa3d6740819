#include "gpucap/calibrate/collectives.hpp"

#include "gpucap/core/nearest_name.hpp"
#include "gpucap/units/parse.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "piece_fit.hpp"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpucap::calibrate {
namespace {

constexpr std::size_t fewest_points = 5;

void check_collective(const SetPlan& set) {
  static const std::vector<std::string> known = {"all_reduce", "all_gather", "reduce_scatter",
                                                 "all_to_all", "alltoall",   "send_recv"};
  if (std::find(known.begin(), known.end(), set.collective) != known.end()) return;
  throw InputError(Problem{"", "", "collective", unknown_name("collective", set.collective, known),
                           "unknown-name"});
}

std::string described(const SetPlan& set) {
  return fmt::format("{}, {}, {}, {} ranks", set.collective, set.host, set.implementation,
                     set.ranks);
}

std::vector<CollectiveSample> rows_of(const SetPlan& set, std::vector<SampleTable>& tables,
                                      const std::vector<Exclusion>& exclusions, Refusals& refused) {
  RowChoice choice{set.rows, {set.card}, exclusions};
  choice.rows["ranks"] = {std::to_string(set.ranks)};
  if (!choice.rows.contains("collective")) choice.rows["collective"] = {set.collective};
  std::vector<CollectiveSample> samples;
  for (SampleTable& table : tables) {
    auto some = collective_samples(table, choice, refused);
    std::move(some.begin(), some.end(), std::back_inserter(samples));
  }
  std::stable_sort(samples.begin(), samples.end(),
                   [](const auto& a, const auto& b) { return a.payload < b.payload; });
  return samples;
}

std::vector<PieceForm> forms_of(const SetPlan& set) {
  std::vector<PieceForm> forms = {
      {"one piece", 0, {}}, {"two lines", 2, {}}, {"three lines", 3, {}}};
  for (const std::vector<Bytes>& limits : set.limits) {
    std::vector<std::string> texts;
    for (const Bytes limit : limits) texts.push_back(fmt::format("{:g} KiB", limit.in(unit::KiB)));
    forms.push_back({fmt::format("pieces at {}", fmt::join(texts, " and ")), 0, limits});
  }
  return forms;
}

/// The form that does best on points left out; a more complicated one must gain something.
PieceForm best_form(const PayloadCurve& curve, const SetPlan& set) {
  constexpr double worth_it = 0.002;  // mean log error that another piece has to save
  std::optional<std::pair<double, PieceForm>> best;
  for (const PieceForm& form : forms_of(set)) {
    const auto error = left_out_error(curve, form);
    if (!error) continue;
    const std::size_t changes = form.lines > 0 ? form.lines - 1 : form.limits.size();
    const double score = *error + worth_it * static_cast<double>(changes);
    if (!best || score < best->first) best = std::pair{score, form};
  }
  return best ? best->second : forms_of(set).front();
}

/// ln(predicted / measured) of each sample.
std::vector<double> log_errors(const FittedSet& set, const std::vector<CollectiveSample>& samples) {
  std::vector<double> errors;
  for (const CollectiveSample& sample : samples) {
    const Seconds time =
        collective_time(set.plan.collective, set.plan.ranks, set.pieces, sample.payload);
    errors.push_back(std::log(time / sample.measured.time));
  }
  return errors;
}

FittedSet fit_set(const SetPlan& plan, std::vector<SampleTable>& tables,
                  const std::vector<Exclusion>& exclusions, std::vector<double>& errors) {
  check_collective(plan);
  FittedSet set;
  set.plan = plan;
  const auto samples = rows_of(plan, tables, exclusions, set.refused);
  std::vector<SplitKey> keys;
  for (const CollectiveSample& sample : samples) keys.push_back(sample.measured.key);
  const Split halves = split(keys);
  PayloadCurve curve{plan.collective, plan.ranks, {}};
  std::vector<CollectiveSample> held_out;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    (halves.held_out[i] ? held_out : curve.samples).push_back(samples[i]);
  }
  if (curve.samples.size() < fewest_points || held_out.empty()) {
    throw InputError(Problem{"", "", "",
                             fmt::format("{}: {} rows to fit and {} to judge by are too few",
                                         described(plan), curve.samples.size(), held_out.size()),
                             "too-few-samples"});
  }
  const PieceForm form = best_form(curve, plan);
  set.form = form.name;
  set.pieces = *fit_pieces(curve, form);
  set.points = static_cast<std::int64_t>(curve.samples.size());
  errors = log_errors(set, held_out);
  set.held_out = error_summary("", errors, {});
  return set;
}

}  // namespace

FittedSets fit_sets(std::vector<SampleTable>& tables, const FitPlan& plan,
                    const std::vector<Exclusion>& exclusions) {
  FittedSets result;
  std::map<std::string, std::vector<double>> by_collective;
  for (const SetPlan& set : plan.sets) {
    std::vector<double> errors;
    result.sets.push_back(fit_set(set, tables, exclusions, errors));
    auto& all = by_collective[set.collective];
    all.insert(all.end(), errors.begin(), errors.end());
  }
  for (const auto& [collective, errors] : by_collective) {
    result.all.push_back(error_summary(collective, errors, {}));
  }
  result.stated = plan.stated;
  result.notes = plan.notes;
  return result;
}

FitPlan plan_sets(const std::vector<SampleTable>& tables, const std::string& card,
                  const std::string& host) {
  std::set<std::tuple<std::string, std::string, std::string>> kinds;
  for (const SampleTable& table : tables) {
    if (table.kind() != TableKind::collective) continue;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      kinds.emplace(table.text(row, "collective"), table.text(row, "impl"),
                    table.text(row, "ranks"));
    }
  }
  FitPlan plan;
  plan.card = card;
  for (const auto& [collective, implementation, ranks] : kinds) {
    const auto count = parse_count(ranks);
    if (!count || *count < 2) {
      throw InputError(Problem{"", "", "ranks",
                               fmt::format("\"{}\" is not a number of at least two ranks", ranks),
                               "not-a-number"});
    }
    SetPlan set;
    set.host = host;
    set.card = card;
    set.ranks = static_cast<int>(*count);
    set.implementation = implementation.empty() ? "own" : implementation;
    set.collective = collective;
    set.source = "own samples";
    if (!implementation.empty()) set.rows["impl"] = {implementation};
    plan.sets.push_back(std::move(set));
  }
  return plan;
}

}  // namespace gpucap::calibrate

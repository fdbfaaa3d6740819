#include "gpucap/core/nearest_name.hpp"

#include "sections.hpp"
#include <fmt/format.h>

namespace gpucap::scenario {
namespace {

/// "380 g/kWh" -> 380.
std::optional<double> read_grid(ObjectReader& energy) {
  const auto text = energy.text("grid");
  if (!text) return std::nullopt;
  const std::size_t unit = text->find("g/kWh");
  const bool ends_with_unit = unit != std::string::npos && unit + 5 == text->size();
  const auto number = parse_number(ends_with_unit ? text->substr(0, unit) : "");
  if (number && *number >= 0 && *number <= 1e6) return *number;
  energy.problem("grid",
                 fmt::format("\"{}\" is no grid factor; write for example \"380 g/kWh\"", *text),
                 "missing-unit");
  return std::nullopt;
}

std::vector<std::string> limit_names() {
  std::vector<std::string> names;
  for (const char* metric : {"queue", "ttft", "tpot", "itl", "e2e"}) {
    for (const char* statistic : {"mean", "p50", "p90", "p95", "p99", "max"}) {
      names.push_back(fmt::format("{}_{}", metric, statistic));
    }
  }
  return names;
}

/// The limit in the words of the command line, so that both are checked alike.
void add_limit(ObjectReader& slo, const std::string& key, metrics::Slo& limits) {
  try {
    const auto read = metrics::parse_slo(fmt::format("{}<{}", key, *slo.text(key)));
    limits.insert(limits.end(), read.begin(), read.end());
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) slo.problem(key, problem.message, problem.code);
  }
}

/// "0.9605 EUR": one unit of `from` is worth that.
std::optional<pricing::FxRate> read_rate(ObjectReader& fx, const std::string& from) {
  const auto currency = Currency::parse(from);
  if (!currency) {
    fx.problem(from, fmt::format("\"{}\" is no currency code such as USD", from), "unknown-name");
    return std::nullopt;
  }
  const auto worth = fx.quantity(from, parse_money);
  if (!worth) return std::nullopt;
  if (worth->micro <= 0) {
    fx.problem(from, "an exchange rate must be above 0", "out-of-range");
    return std::nullopt;
  }
  return pricing::FxRate{*currency, worth->currency, worth->amount(), "", ""};
}

}  // namespace

void read_slo(ObjectReader slo, Scenario& scenario) {
  const auto names = limit_names();
  for (const std::string& key : slo.keys()) {
    if (key == "notes") continue;
    const auto limit = slo.quantity(key, parse_duration);
    if (std::find(names.begin(), names.end(), key) == names.end()) {
      slo.problem(key, unknown_name("limit", key, names), "unknown-key");
    } else if (limit) {
      add_limit(slo, key, scenario.slo);
    }
  }
  slo.finish();
}

void read_billing(ObjectReader billing, Common& scenario) {
  scenario.hours_per_month =
      positive(billing, "hours_per_month", 744).value_or(scenario.hours_per_month);
  if (auto fx = billing.object("fx")) {
    const auto date = fx->required("date", fx->text("date"));
    const auto source = fx->required("source", fx->text("source"));
    if (!date.empty() && !pricing::Date::parse(date)) {
      fx->problem("date", fmt::format("\"{}\" is no date such as 2026-08-22", date), "wrong-date");
    }
    std::vector<pricing::FxRate> rates;
    for (const std::string& key : fx->keys()) {
      if (key == "date" || key == "source" || key == "notes") continue;
      if (auto rate = read_rate(*fx, key)) {
        rate->date = date;
        rate->source = source;
        rates.push_back(*rate);
      }
    }
    fx->finish();
    scenario.fx = pricing::FxTable(std::move(rates));
  }
  billing.finish();
}

void read_energy(ObjectReader energy, Common& scenario) {
  scenario.energy.grid_g_per_kwh = read_grid(energy);
  scenario.energy.pue = energy.number("pue");
  if (scenario.energy.pue && !(*scenario.energy.pue >= 1 && *scenario.energy.pue <= 10)) {
    energy.problem("pue",
                   fmt::format("a facility uses 1 to 10 times what its devices use, not {}",
                               *scenario.energy.pue),
                   "out-of-range");
  }
  energy.choice<int>("paid_by", "payer", {{"provider", 0}});
  energy.finish();
}

}  // namespace gpucap::scenario

#include "gpucap/report/columns.hpp"

#include "gpucap/study/compare.hpp"

#include <stdexcept>

#include "currency_prefix.hpp"
#include <fmt/format.h>

namespace gpucap::report {
namespace {

using evaluate::Outcome;
using Columns = std::vector<Column>;

/// A getter that takes the outcome alone.
template <class Getter>
std::function<Cell(const Row&)> of(Getter getter) {
  return [getter](const Row& row) -> Cell { return getter(*row.outcome); };
}

/// A number that exists only where the candidate was simulated.
template <class Getter>
std::function<Cell(const Row&)> simulated(Getter getter) {
  return [getter](const Row& row) -> Cell {
    if (!row.outcome->feasible) return {};
    return getter(*row.outcome);
  };
}

void add_identity(Columns& columns) {
  columns.push_back({{"load", "LOAD"}, [](const Row& row) { return text_cell(row.load); }});
  columns.push_back(
      {{"candidate", "CANDIDATE"}, of([](const Outcome& o) { return text_cell(o.name); })});
  columns.push_back({{"feasible", "feasible", Shown::yes_no},
                     of([](const Outcome& o) { return flag_cell(o.feasible); })});
  columns.push_back({{"overloaded", "overloaded"},
                     simulated([](const Outcome& o) { return flag_cell(o.overloaded); })});
  columns.push_back({{"reason", "reason"},
                     of([](const Outcome& o) { return text_cell(o.reason.value_or("")); })});
  columns.push_back({{"wins", "wins"}, [](const Row& row) { return text_cell(row.wins); }});
  columns.push_back({{"limit", "limit"}, [](const Row& row) { return text_cell(row.limit); }});
}

void add_bottleneck(Columns& columns) {
  columns.push_back({{"bottleneck", "bottleneck"}, of([](const Outcome& o) {
                       return o.bottleneck ? text_cell(std::string(perf::name(*o.bottleneck)))
                                           : Cell{};
                     })});
  for (std::size_t i = 0; i < perf::cause_count; ++i) {
    const auto cause = perf::name(static_cast<perf::Cause>(i));
    columns.push_back(
        {{fmt::format("share_{}", cause), fmt::format("limited by {}", cause), Shown::percent},
         [i](const Row& row) {
           const Outcome& o = *row.outcome;
           return o.bottleneck ? number_cell(o.bottleneck_shares[i]) : Cell{};
         }});
  }
}

void add_memory(Columns& columns) {
  struct Part {
    const char* name;
    Bytes perf::ServingFootprint::*bytes;
  };
  constexpr Part parts[] = {{"weights", &perf::ServingFootprint::weights},
                            {"kv_cache", &perf::ServingFootprint::kv_cache},
                            {"activations", &perf::ServingFootprint::activations},
                            {"other", &perf::ServingFootprint::other},
                            {"free", &perf::ServingFootprint::free}};
  for (const Part& part : parts) {
    columns.push_back(
        {{fmt::format("{}_gib", part.name), fmt::format("{} GiB", part.name), Shown::plain},
         of([bytes = part.bytes](const Outcome& o) { return memory_cell(o.memory, bytes); })});
  }
  columns.push_back({{"kv_cache_tokens", "KV cache tokens", Shown::count}, of([](const Outcome& o) {
                       return o.memory.kv_cache_tokens > 0 ? Cell{o.memory.kv_cache_tokens}
                                                           : Cell{};
                     })});
}

void add_requests(Columns& columns) {
  using Requests = Outcome::Requests;
  struct Count {
    const char* name;
    std::int64_t Requests::*count;
  };
  constexpr Count counts[] = {{"arrived", &Requests::arrived},
                              {"finished", &Requests::finished},
                              {"refused", &Requests::refused},
                              {"preempted", &Requests::preempted}};
  for (const Count& c : counts) {
    columns.push_back(
        {{fmt::format("requests_{}", c.name), c.name, Shown::count},
         simulated([count = c.count](const Outcome& o) { return Cell{o.requests.*count}; })});
  }
  columns.push_back({{"prefix_hit_rate", "prefix hits", Shown::percent},
                     of([](const Outcome& o) { return number_cell(o.requests.prefix_hit_rate); })});
}

/// Optional numbers of one part of the outcome, by name.
template <class Part>
struct Figure {
  std::string name;
  std::string heading;
  Shown shown;
  std::optional<double> Part::*value;
};

template <class Part>
void add_figures(Columns& columns, Part Outcome::*part, const std::vector<Figure<Part>>& figures) {
  for (const auto& figure : figures) {
    columns.push_back({{figure.name, figure.heading, figure.shown},
                       of([part, value = figure.value](const Outcome& o) {
                         return number_cell(o.*part.*value);
                       })});
  }
}

void add_throughput(Columns& columns) {
  using Throughput = Outcome::Throughput;
  add_figures<Throughput>(
      columns, &Outcome::throughput,
      {{"requests_per_s", "requests/s", Shown::plain, &Throughput::requests_per_s},
       {"input_tokens_per_s", "input tokens/s", Shown::plain, &Throughput::input_tokens_per_s},
       {"output_tokens_per_s", "output tokens/s", Shown::plain, &Throughput::output_tokens_per_s},
       {"total_tokens_per_s", "total tokens/s", Shown::plain, &Throughput::total_tokens_per_s},
       {"makespan_s", "makespan", Shown::seconds, &Throughput::makespan_s}});
}

void add_summary(Columns& columns, const std::string& name, const std::string& heading, Shown shown,
                 Summary Outcome::*summary) {
  const std::vector<std::pair<const char*, std::optional<double> Summary::*>> statistics = {
      {"mean", &Summary::mean}, {"p50", &Summary::p50}, {"p90", &Summary::p90},
      {"p95", &Summary::p95},   {"p99", &Summary::p99}, {"max", &Summary::max}};
  for (const auto& [statistic, value] : statistics) {
    columns.push_back(
        {{fmt::format("{}_{}_s", name, statistic), fmt::format("{} {}", heading, statistic), shown},
         of([summary, value = value](const Outcome& o) {
           return number_cell(o.*summary.*value);
         })});
  }
  columns.push_back({{name + "_n", heading + " n", Shown::count},
                     simulated([summary](const Outcome& o) { return Cell{(o.*summary).n}; })});
}

void add_latencies(Columns& columns) {
  add_summary(columns, "queue", "QUEUE", Shown::seconds, &Outcome::queue_s);
  add_summary(columns, "ttft", "TTFT", Shown::seconds, &Outcome::ttft_s);
  add_summary(columns, "tpot", "TPOT", Shown::milliseconds, &Outcome::tpot_s);
  add_summary(columns, "itl", "ITL", Shown::milliseconds, &Outcome::itl_s);
  add_summary(columns, "e2e", "E2E", Shown::seconds, &Outcome::e2e_s);
}

void add_slo(Columns& columns) {
  columns.push_back({{"slo_attained", "within SLO", Shown::percent},
                     of([](const Outcome& o) { return number_cell(o.slo_attained); })});
  columns.push_back({{"slo_met", "SLO", Shown::yes_no}, of([](const Outcome& o) {
                       return flag_cell(o.feasible ? o.slo_met : std::nullopt);
                     })});
}

void add_utilization(Columns& columns) {
  using Utilization = Outcome::Utilization;
  add_figures<Utilization>(
      columns, &Outcome::utilization,
      {{"utilization_busy", "busy", Shown::percent, &Utilization::busy},
       {"utilization_compute", "compute used", Shown::percent, &Utilization::compute},
       {"utilization_memory_bandwidth", "bandwidth used", Shown::percent,
        &Utilization::memory_bandwidth},
       {"utilization_kv_cache_mean", "KV cache used", Shown::percent,
        &Utilization::kv_cache_mean}});
}

void add_cost(Columns& columns, std::optional<Currency> currency) {
  using Cost = Outcome::Cost;
  const std::string cost = cost_prefix(currency);
  add_figures<Cost>(
      columns, &Outcome::cost,
      {{cost + "per_hour", "per h", Shown::money, &Cost::per_hour},
       {cost + "run", "whole run", Shown::money, &Cost::run},
       {cost + "per_month", "per month", Shown::money, &Cost::per_month},
       {cost + "per_1000_requests", "per 1000 requests", Shown::money, &Cost::per_1000_requests},
       {cost + "per_million_input_tokens", "per 1M in", Shown::money,
        &Cost::per_million_input_tokens},
       {cost + "per_million_output_tokens", "per 1M out", Shown::money,
        &Cost::per_million_output_tokens},
       {"idle_share", "idle", Shown::percent, &Cost::idle_share}});
  columns.push_back({{"relative_cost", "rel", Shown::money},
                     [](const Row& row) { return number_cell(row.relative_cost); }});
  columns.push_back(
      {{"offer", "offer"}, of([](const Outcome& o) { return text_cell(o.cost.offer); })});
}

void add_energy(Columns& columns) {
  using Energy = Outcome::Energy;
  add_figures<Energy>(
      columns, &Outcome::energy,
      {{"energy_kwh", "energy kWh", Shown::plain, &Energy::kwh},
       {"mean_power_w", "mean power W", Shown::plain, &Energy::mean_w},
       {"joules_per_output_token", "J/out tok", Shown::plain, &Energy::joules_per_output_token},
       {"emissions_gco2e", "emissions gCO2e", Shown::plain, &Energy::gco2e}});
  columns.push_back({{"energy_basis", "energy basis"}, of([](const Outcome& o) {
                       return o.energy.kwh ? text_cell(o.energy.basis) : Cell{};
                     })});
}

std::string victories(const study::Winners& winners, std::size_t position) {
  std::string wins;
  const auto add = [&](std::optional<std::size_t> winner, const char* criterion) {
    if (winner == position) wins += (wins.empty() ? "" : " ") + std::string(criterion);
  };
  add(winners.cost, "cost");
  add(winners.latency, "latency");
  add(winners.energy, "energy");
  return wins;
}

}  // namespace

Listing intervals(const RunReport& report) {
  Listing listing{{{"load", "LOAD"},
                   {"candidate", "CANDIDATE"},
                   {"figure", "FIGURE"},
                   {"low", "LOW", Shown::plain},
                   {"high", "HIGH", Shown::plain},
                   {"draws", "DRAWS", Shown::count}},
                  {}};
  for (const auto& load : report.loads) {
    for (const Outcome& outcome : load.candidates) {
      for (const auto& [name, ends] : outcome.interval.figures) {
        listing.rows.push_back({text_cell(load.name), text_cell(outcome.name), name,
                                number_cell(ends.first), number_cell(ends.second),
                                outcome.interval.draws});
      }
    }
  }
  return listing;
}

Cell memory_cell(const perf::ServingFootprint& memory, Bytes perf::ServingFootprint::*part) {
  const bool known = memory.weights > Bytes{};  // otherwise no footprint was ever computed
  const bool no_pool =
      part == &perf::ServingFootprint::kv_cache && !memory.feasible && memory.kv_cache <= Bytes{};
  return known && !no_pool ? number_cell((memory.*part).in(unit::GiB)) : Cell{};
}

std::vector<Row> rows_of(const LoadReport& load) {
  const study::Winners best = study::winners(load.candidates);
  const Outcome* cheapest = best.cost ? &load.candidates[*best.cost] : nullptr;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < load.candidates.size(); ++i) {
    const Outcome& outcome = load.candidates[i];
    rows.push_back({&outcome, load.name, study::relative_cost(outcome, cheapest),
                    victories(best, i), best.cost == i ? "" : study::why_not(outcome, cheapest)});
  }
  return rows;
}

std::optional<Currency> currency_of(const RunReport& report) {
  std::optional<Currency> common;
  for (const auto& load : report.loads) {
    for (const auto& outcome : load.candidates) {
      const auto& own = outcome.cost.currency;
      if (own && common && *own != *common) throw std::logic_error("costs in two currencies");
      if (own) common = own;
    }
  }
  return common;
}

std::vector<Column> outcome_columns(std::optional<Currency> currency) {
  Columns columns;
  add_identity(columns);
  add_bottleneck(columns);
  add_memory(columns);
  add_requests(columns);
  add_throughput(columns);
  add_latencies(columns);
  add_slo(columns);
  add_utilization(columns);
  add_cost(columns, currency);
  add_energy(columns);
  return columns;
}

Listing summary(const RunReport& report) {
  const Columns columns = outcome_columns(currency_of(report));
  Listing listing;
  for (const Column& column : columns) listing.fields.push_back(column.field);
  for (const auto& load : report.loads) {
    for (const Row& row : rows_of(load)) {
      auto& cells = listing.rows.emplace_back();
      for (const Column& column : columns) cells.push_back(column.get(row));
    }
  }
  return listing;
}

}  // namespace gpucap::report

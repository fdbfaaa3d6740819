#include "cluster_columns.hpp"

#include "currency_prefix.hpp"
#include <fmt/format.h>

namespace gpucap::report {
namespace {

using evaluate::ClusterOutcome;
using Columns = std::vector<ClusterColumn>;

template <class Getter>
std::function<Cell(const ClusterRow&)> of(Getter getter) {
  return [getter](const ClusterRow& row) -> Cell { return getter(*row.outcome); };
}

void add_identity(Columns& columns) {
  columns.push_back(
      {{"policy", "POLICY"}, [](const ClusterRow& row) { return text_cell(row.policy); }});
  columns.push_back(
      {{"candidate", "CANDIDATE"}, of([](const ClusterOutcome& o) { return text_cell(o.name); })});
  columns.push_back({{"unstable", "unstable", Shown::yes_no},
                     of([](const ClusterOutcome& o) { return flag_cell(o.unstable); })});
  columns.push_back({{"reason", "reason"},
                     of([](const ClusterOutcome& o) { return text_cell(o.reason.value_or("")); })});
}

void add_counts(Columns& columns) {
  const std::pair<const char*, std::int64_t ClusterOutcome::*> counts[] = {
      {"gpus", &ClusterOutcome::gpus},
      {"jobs_submitted", &ClusterOutcome::submitted},
      {"jobs_finished", &ClusterOutcome::finished},
      {"jobs_refused", &ClusterOutcome::refused},
      {"jobs_given_up", &ClusterOutcome::given_up},
      {"jobs_unfinished", &ClusterOutcome::unfinished},
      {"jobs_cut", &ClusterOutcome::cut},
      {"faults", &ClusterOutcome::faults},
      {"restarts", &ClusterOutcome::restarts},
      {"resizes", &ClusterOutcome::resizes}};
  for (const auto& [name, count] : counts) {
    columns.push_back({{name, name == std::string_view("gpus") ? "GPUS" : name, Shown::count},
                       of([count = count](const ClusterOutcome& o) { return Cell{o.*count}; })});
  }
}

void add_summary(Columns& columns, const std::string& name, const std::string& heading,
                 Summary ClusterOutcome::*summary) {
  const std::pair<const char*, std::optional<double> Summary::*> statistics[] = {
      {"mean", &Summary::mean}, {"p50", &Summary::p50}, {"p90", &Summary::p90},
      {"p95", &Summary::p95},   {"p99", &Summary::p99}, {"max", &Summary::max}};
  for (const auto& [statistic, value] : statistics) {
    columns.push_back({{fmt::format("{}_{}_s", name, statistic),
                        fmt::format("{} {}", heading, statistic), Shown::hours},
                       of([summary, value = value](const ClusterOutcome& o) {
                         return number_cell(o.*summary.*value);
                       })});
  }
  columns.push_back({{name + "_n", heading + " n", Shown::count},
                     of([summary](const ClusterOutcome& o) { return Cell{(o.*summary).n}; })});
}

void add_times(Columns& columns) {
  add_summary(columns, "queue", "QUEUE", &ClusterOutcome::queue_s);
  add_summary(columns, "queue_by_gpu_time", "QUEUE by GPU time",
              &ClusterOutcome::queue_by_gpu_time_s);
  add_summary(columns, "waited_again", "waited again", &ClusterOutcome::waited_again_s);
  add_summary(columns, "completion", "JCT", &ClusterOutcome::completion_s);
  columns.push_back({{"makespan_s", "MAKESPAN", Shown::days},
                     of([](const ClusterOutcome& o) { return number_cell(o.makespan_s); })});
}

void add_use(Columns& columns) {
  columns.push_back({{"asked_gpus", "GPUs asked", Shown::plain},
                     of([](const ClusterOutcome& o) { return number_cell(o.asked_gpus); })});
  columns.push_back({{"offered_load", "LOAD", Shown::percent},
                     of([](const ClusterOutcome& o) { return number_cell(o.offered_load); })});
  columns.push_back({{"allocated_share", "ALLOCATED", Shown::percent},
                     of([](const ClusterOutcome& o) { return number_cell(o.allocated); })});
  using Hours = ClusterOutcome::GpuHours;
  const std::pair<const char*, double Hours::*> parts[] = {
      {"useful", &Hours::useful}, {"stalled", &Hours::stalled},       {"lost", &Hours::lost},
      {"saving", &Hours::saving}, {"restarting", &Hours::restarting}, {"idle", &Hours::idle},
      {"away", &Hours::away}};
  for (const auto& [name, part] : parts) {
    columns.push_back(
        {{fmt::format("gpu_hours_{}", name), fmt::format("GPU h {}", name), Shown::plain},
         of([part = part](const ClusterOutcome& o) { return number_cell(o.gpu_hours.*part); })});
  }
}

void add_money(Columns& columns, std::optional<Currency> currency) {
  using Cost = ClusterOutcome::Cost;
  const std::string prefix = cost_prefix(currency);
  const auto add = [&](const char* name, const char* heading, std::optional<double> Cost::*value) {
    columns.push_back({{prefix + name, heading, Shown::money}, of([value](const ClusterOutcome& o) {
                         return number_cell(o.cost.*value);
                       })});
  };
  add("per_hour", "per h", &Cost::per_hour);
  add("run", "per run", &Cost::run);
  add("per_job", "per job", &Cost::per_job);
  add("per_useful_gpu_hour", "per useful GPU h", &Cost::per_useful_gpu_hour);
  using Energy = ClusterOutcome::Energy;
  const auto energy = [&](const char* name, const char* heading,
                          std::optional<double> Energy::*value) {
    columns.push_back({{name, heading, Shown::plain}, of([value](const ClusterOutcome& o) {
                         return number_cell(o.energy.*value);
                       })});
  };
  energy("energy_kwh", "kWh", &Energy::kwh);
  energy("mean_w", "mean W", &Energy::mean_w);
  energy("kwh_per_job", "kWh per job", &Energy::kwh_per_job);
  energy("gco2e", "gCO2e", &Energy::gco2e);
  columns.push_back({{"energy_basis", "energy basis"},
                     of([](const ClusterOutcome& o) { return text_cell(o.energy.basis); })});
}

}  // namespace

std::vector<ClusterColumn> cluster_columns(std::optional<Currency> currency) {
  Columns columns;
  add_identity(columns);
  add_counts(columns);
  add_times(columns);
  add_use(columns);
  add_money(columns, currency);
  return columns;
}

std::optional<Currency> currency_of(const ClusterReport& report) {
  for (const PolicyReport& policy : report.policies) {
    for (const auto& outcome : policy.candidates) {
      if (outcome.cost.currency) return outcome.cost.currency;
    }
  }
  return std::nullopt;
}

Listing cluster_summary(const ClusterReport& report) {
  const Columns columns = cluster_columns(currency_of(report));
  Listing listing;
  for (const auto& column : columns) listing.fields.push_back(column.field);
  for (const PolicyReport& policy : report.policies) {
    for (const auto& outcome : policy.candidates) {
      auto& cells = listing.rows.emplace_back();
      for (const auto& column : columns) cells.push_back(column.get({policy.policy, &outcome}));
    }
  }
  return listing;
}

}  // namespace gpucap::report

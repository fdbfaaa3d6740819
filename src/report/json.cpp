#include "gpucap/report/json.hpp"

#include "gpucap/report/columns.hpp"
#include "gpucap/report/listing.hpp"
#include "gpucap/study/compare.hpp"

#include "json_values.hpp"

namespace gpucap::report {
namespace {

using evaluate::Outcome;

Json memory_part(const perf::ServingFootprint& memory) {
  using Footprint = perf::ServingFootprint;
  const auto gib = [&](Bytes Footprint::*part) { return json_of(memory_cell(memory, part)); };
  Json terms = Json::object();
  for (const auto& [name, bytes] : memory.terms) terms[name + "_gib"] = number(bytes.in(unit::GiB));
  Json tokens = nullptr;
  if (memory.kv_cache_tokens > 0) tokens = memory.kv_cache_tokens;
  return {{"weights_gib", gib(&Footprint::weights)},
          {"kv_cache_gib", gib(&Footprint::kv_cache)},
          {"activations_gib", gib(&Footprint::activations)},
          {"other_gib", gib(&Footprint::other)},
          {"free_gib", gib(&Footprint::free)},
          {"kv_cache_tokens", tokens},
          {"terms", terms}};
}

Json requests_json(const Outcome& outcome) {
  const auto& r = outcome.requests;
  const auto count = [&](std::int64_t value) { return outcome.feasible ? Json(value) : Json(); };
  return {{"arrived", count(r.arrived)},
          {"finished", count(r.finished)},
          {"refused", count(r.refused)},
          {"preempted", count(r.preempted)},
          {"prefix_hit_rate", number(r.prefix_hit_rate)}};
}

Json throughput_json(const Outcome::Throughput& t) {
  return {{"requests_per_s", number(t.requests_per_s)},
          {"input_tokens_per_s", number(t.input_tokens_per_s)},
          {"output_tokens_per_s", number(t.output_tokens_per_s)},
          {"total_tokens_per_s", number(t.total_tokens_per_s)},
          {"makespan_s", number(t.makespan_s)}};
}

Json utilization_json(const Outcome::Utilization& u) {
  return {{"busy", number(u.busy)},
          {"compute", number(u.compute)},
          {"memory_bandwidth", number(u.memory_bandwidth)},
          {"kv_cache_mean", number(u.kv_cache_mean)}};
}

Json cost_json(const Outcome::Cost& c) {
  return {{"currency", c.currency ? Json(c.currency->code()) : Json()},
          {"per_hour", number(c.per_hour)},
          {"run", number(c.run)},
          {"per_month", number(c.per_month)},
          {"per_1000_requests", number(c.per_1000_requests)},
          {"per_million_input_tokens", number(c.per_million_input_tokens)},
          {"per_million_output_tokens", number(c.per_million_output_tokens)},
          {"idle_share", number(c.idle_share)}};
}

Json energy_json(const Outcome::Energy& e) {
  return {{"kwh", number(e.kwh)},
          {"mean_w", number(e.mean_w)},
          {"joules_per_output_token", number(e.joules_per_output_token)},
          {"gco2e", number(e.gco2e)},
          {"basis", e.kwh ? optional_text(e.basis) : Json()}};
}

Json interval_json(const Outcome& outcome) {
  const Outcome::Interval& interval = outcome.interval;
  if (interval.draws == 0) return Json::object();
  Json figures = Json::object();
  for (const auto& [name, bounds] : interval.figures) {
    figures[name] = Json::array({number(bounds.first), number(bounds.second)});
  }
  return {{"draws", interval.draws},
          {"level", evaluate::Outcome::Interval::level},
          {"shares",
           {{"qualified", number(interval.qualified)},
            {"cheapest", number(interval.cheapest)},
            {"fastest", number(interval.fastest)},
            {"least_energy", number(interval.least_energy)}}},
          {"figures", figures}};
}

/// Only when a percentile is not exact: by how much, e.g. {"itl_s": 0.000244140625}.
void add_quantile_errors(Json& provenance, const Outcome& outcome) {
  const std::pair<const char*, const Summary&> summaries[] = {{"queue_s", outcome.queue_s},
                                                              {"ttft_s", outcome.ttft_s},
                                                              {"tpot_s", outcome.tpot_s},
                                                              {"itl_s", outcome.itl_s},
                                                              {"e2e_s", outcome.e2e_s}};
  for (const auto& [name, summary] : summaries) {
    if (summary.quantile_error > 0) provenance["quantile_error"][name] = summary.quantile_error;
  }
}

Json candidate_json(const Outcome& outcome) {
  Json provenance = provenance_json(outcome.provenance);
  add_quantile_errors(provenance, outcome);
  Json bottleneck = nullptr;
  if (outcome.bottleneck) bottleneck = std::string(perf::name(*outcome.bottleneck));
  return {
      {"name", outcome.name},
      {"feasible", outcome.feasible},
      {"overloaded", outcome.overloaded},
      {"reason", optional_text(outcome.reason.value_or(""))},
      {"bottleneck", bottleneck},
      {"bottleneck_shares", shares_json(outcome.bottleneck.has_value(), outcome.bottleneck_shares)},
      {"memory", memory_part(outcome.memory)},
      {"requests", requests_json(outcome)},
      {"throughput", throughput_json(outcome.throughput)},
      {"queue_s", summary_json(outcome.queue_s)},
      {"ttft_s", summary_json(outcome.ttft_s)},
      {"tpot_s", summary_json(outcome.tpot_s)},
      {"itl_s", summary_json(outcome.itl_s)},
      {"e2e_s", summary_json(outcome.e2e_s)},
      {"slo", {{"attained", number(outcome.slo_attained)}}},
      {"utilization", utilization_json(outcome.utilization)},
      {"cost", cost_json(outcome.cost)},
      {"energy", energy_json(outcome.energy)},
      {"interval", interval_json(outcome)},
      {"provenance", provenance}};
}

Json load_json(const LoadReport& load) {
  Json candidates = Json::array();
  for (const Outcome& outcome : load.candidates) candidates.push_back(candidate_json(outcome));
  const study::Winners best = study::winners(load.candidates);
  const auto name = [&](std::optional<std::size_t> winner) {
    return winner ? Json(load.candidates[*winner].name) : Json();
  };
  return {{"name", load.name},
          {"candidates", candidates},
          {"winners",
           {{"cost", name(best.cost)},
            {"latency", name(best.latency)},
            {"energy", name(best.energy)}}}};
}

}  // namespace

std::string outcome_json(const Outcome& outcome) {
  return dumped(candidate_json(outcome));
}

std::string run_json(const RunReport& report) {
  Json loads = Json::array();
  for (const LoadReport& load : report.loads) loads.push_back(load_json(load));
  return dumped({{"scenario", report.scenario}, {"loads", loads}});
}

std::string memory_json(const MemoryAnswer& answer) {
  const auto& footprint = answer.footprint;
  Json memory = memory_part(footprint);
  memory["kv_bytes_per_token"] = footprint.kv_bytes_per_token;
  const auto largest = [&](std::int64_t value) {
    return footprint.feasible && value > 0 ? Json(value) : Json();
  };
  return dumped({{"name", answer.name},
                 {"feasible", footprint.feasible},
                 {"reason", optional_text(footprint.reason)},
                 {"memory", memory},
                 {"largest",
                  {{"context_tokens", largest(answer.largest_context)},
                   {"concurrency", largest(answer.largest_concurrency)},
                   {"micro_batch", nullptr},
                   {"seq_len", nullptr}}},
                 {"provenance", provenance_json(answer.provenance)}});
}

namespace {

Json rows_json(const Listing& listing) {
  Json rows = Json::array();
  for (const auto& row : listing.rows) {
    Json object = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) object[listing.fields[i].name] = json_of(row[i]);
    rows.push_back(object);
  }
  return rows;
}

}  // namespace

std::string to_json(const Listing& listing) {
  return dumped(rows_json(listing));
}

std::string to_json(const std::vector<std::pair<std::string, const Listing*>>& listings) {
  Json object = Json::object();
  for (const auto& [name, listing] : listings) object[name] = rows_json(*listing);
  return dumped(object);
}

std::string to_keyed_json(const Listing& listing) {
  Json keyed = Json::object();
  for (const auto& row : listing.rows) {
    Json object = Json::object();
    for (std::size_t i = 1; i < row.size(); ++i) object[listing.fields[i].name] = json_of(row[i]);
    keyed[std::get<std::string>(row.front())] = object;
  }
  return dumped(keyed);
}

}  // namespace gpucap::report

#pragma once

#include "gpucap/core/statistics.hpp"
#include "gpucap/perf/footprint.hpp"
#include "gpucap/record/usage.hpp"
#include "gpucap/units/money.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpucap::evaluate {

/// What one candidate does under one load. Absent values do not exist: they are null in JSON and
/// empty in CSV, never zero.
struct Outcome {
  std::string name;
  bool feasible = false;
  bool overloaded = false;
  std::optional<std::string> reason;  ///< why infeasible or overloaded
  std::optional<record::Cause> bottleneck;
  std::array<double, record::cause_count> bottleneck_shares{};

  perf::ServingFootprint memory;

  struct Requests {
    std::int64_t arrived = 0, finished = 0, refused = 0, preempted = 0;
    std::optional<double> prefix_hit_rate;
  } requests;

  struct Throughput {
    std::optional<double> requests_per_s, input_tokens_per_s, output_tokens_per_s,
        total_tokens_per_s, makespan_s;
  } throughput;
  std::int64_t input_tokens = 0, output_tokens = 0;  ///< of finished requests

  Summary queue_s, ttft_s, tpot_s, itl_s, e2e_s;

  std::optional<double> slo_attained;   ///< share of arrived requests within every limit
  std::optional<bool> slo_met;          ///< every percentile limit holds
  std::vector<std::string> slo_misses;  ///< "ttft_p95 2.70 s > 2 s"

  struct Utilization {
    std::optional<double> busy, compute, memory_bandwidth, kv_cache_mean;
  } utilization;

  struct Cost {
    std::optional<Currency> currency;
    std::optional<double> per_hour, run, per_month, per_1000_requests, per_million_input_tokens,
        per_million_output_tokens, idle_share;
    std::string offer;               ///< id, or "price given"
    std::vector<std::string> notes;  ///< derived, undated, converted, ...
  } cost;

  struct Energy {
    std::optional<double> kwh, mean_w, joules_per_output_token, gco2e;
    std::string basis = "assumed";  ///< measured, scaled or assumed
  } energy;

  /// What Monte Carlo draws say; without draws there is nothing here, and nothing is made up.
  struct Interval {
    std::int64_t draws = 0;
    /// Shares of the draws in which the candidate qualified (feasible, not overloaded, within the
    /// SLO), and in which it won.
    double qualified = 0, cheapest = 0, fastest = 0, least_energy = 0;
    static constexpr double level = 0.8;  ///< share of the draws between the two ends
    std::map<std::string, std::pair<double, double>> figures;
  } interval;

  struct Provenance {
    std::string version;
    std::map<std::string, std::string> inputs_sha256;
    std::vector<std::string> calibration;  ///< files and what is transferred
    std::vector<std::string> offers;
    std::uint64_t seed = 0;
  } provenance;

  std::vector<std::string> notes;           ///< what the reader must know before believing
  std::vector<record::Timeline> timelines;  ///< of each stage of each replica, in order
  int stages = 1;                           ///< of a replica
};

}  // namespace gpucap::evaluate

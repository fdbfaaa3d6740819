#include "gpucap/metrics/slo.hpp"

#include <array>
#include <cstdlib>
#include <optional>

#include "slo_names.hpp"
#include <fmt/format.h>

namespace gpucap::metrics {
namespace {

bool exceeds(double value_s, Seconds limit) {
  return to_sim_time(value_s * unit::s) > to_sim_time(limit);
}

const Summary& summary_of(Metric metric, const LatencySummaries& latency) {
  switch (metric) {
    case Metric::queue:
      return latency.queue;
    case Metric::ttft:
      return latency.ttft;
    case Metric::tpot:
      return latency.tpot;
    case Metric::itl:
      return latency.itl;
    case Metric::e2e:
      break;
  }
  return latency.e2e;
}

std::optional<double> value_of(Statistic statistic, const Summary& summary) {
  switch (statistic) {
    case Statistic::mean:
      return summary.mean;
    case Statistic::p50:
      return summary.p50;
    case Statistic::p90:
      return summary.p90;
    case Statistic::p95:
      return summary.p95;
    case Statistic::p99:
      return summary.p99;
    case Statistic::max:
      break;
  }
  return summary.max;
}

/// Per cent of a percentile; nothing for mean and max.
std::optional<std::int64_t> percent_of(Statistic statistic) {
  switch (statistic) {
    case Statistic::p50:
      return 50;
    case Statistic::p90:
      return 90;
    case Statistic::p95:
      return 95;
    case Statistic::p99:
      return 99;
    case Statistic::mean:
    case Statistic::max:
      break;
  }
  return std::nullopt;
}

bool falls_on_refused(Statistic statistic, const LatencyMetrics::Counts& counts) {
  const auto percent = percent_of(statistic);
  const std::int64_t answered_or_not = counts.finished + counts.refused;
  return percent && (answered_or_not * *percent + 99) / 100 > counts.finished;
}

/// A value above its limit with as many decimals, at least three digits, as make that visible.
std::string miss_sentence(const Limit& limit, double value_s) {
  const bool in_ms = limit.limit < unit::s;
  const Seconds scale = in_ms ? unit::ms : unit::s;
  const double value = (value_s * unit::s).in(scale);
  const double bound = limit.limit.in(scale);
  int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  std::string shown = fmt::format("{:.{}f}", value, decimals);
  while (decimals < 9 && std::strtod(shown.c_str(), nullptr) <= bound) {
    shown = fmt::format("{:.{}f}", value, ++decimals);
  }
  return fmt::format("{} {} {} > {:g} {}", limit.name(), shown, in_ms ? "ms" : "s", bound,
                     in_ms ? "ms" : "s");
}

std::optional<std::string> miss_of(const Limit& limit, const LatencySummaries& latency,
                                   const LatencyMetrics::Counts& counts) {
  const auto value = value_of(limit.statistic, summary_of(limit.metric, latency));
  if (!value) return limit.name() + " has no sample";
  if (falls_on_refused(limit.statistic, counts)) {
    return fmt::format("{} falls on a refused request ({} of {} refused)", limit.name(),
                       counts.refused, counts.finished + counts.refused);
  }
  if (!exceeds(*value, limit.limit)) return std::nullopt;
  return miss_sentence(limit, *value);
}

}  // namespace

std::string Limit::name() const {
  return metric_names.at(static_cast<std::size_t>(metric)) + "_" +
         statistic_names.at(static_cast<std::size_t>(statistic));
}

SloVerdict evaluate_slo(const Slo& slo, const LatencySummaries& latency,
                        const LatencyMetrics::Counts& counts) {
  SloVerdict verdict;
  for (const Limit& limit : slo) {
    if (auto miss = miss_of(limit, latency, counts)) verdict.misses.push_back(std::move(*miss));
  }
  verdict.met = verdict.misses.empty();
  return verdict;
}

}  // namespace gpucap::metrics

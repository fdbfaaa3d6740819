#pragma once

#include "gpucap/core/statistics.hpp"
#include "gpucap/evaluate/outcome.hpp"
#include "gpucap/record/sink.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::test {

/// Latencies of one request in seconds, by the definitions of the measured runs: TTFT and E2E from
/// arrival, TPOT over the tokens after the first.
struct RequestLatency {
  double queue = 0, ttft = 0, tpot = 0, e2e = 0;
};

/// A logged run of a real server, request by request (llmservingsim_*: 300 ShareGPT requests on
/// vLLM 0.19 with Llama-3.1-8B).
struct MeasuredRun {
  std::filesystem::path trace;  ///< arrivals, lengths and prompt blocks of 16 tokens
  std::vector<RequestLatency> requests;
  double makespan_s = 0;

  [[nodiscard]] Summary queue() const;
  [[nodiscard]] Summary ttft() const;
  [[nodiscard]] Summary tpot() const;
  [[nodiscard]] Summary e2e() const;
};

/// Says so and returns nothing where the files are absent.
std::optional<MeasuredRun> measured_run(const std::string& card);

/// Latencies of the requests of a simulated run, by id.
struct Latencies : record::Sink {
  std::map<std::int64_t, RequestLatency> by_id;
  void finished(const record::RequestRow& row) override;
};

/// Simulated over measured less 1, in per cent.
double error_percent(double simulated, double measured);

/// Prints makespan and the 15 statistics (mean, p50, p90, p95, p99 of TTFT, TPOT, E2E), measured,
/// simulated and the error, and returns the largest absolute error of the 15 in per cent.
double compare(const std::string& title, const MeasuredRun& measured,
               const evaluate::Outcome& simulated);

/// Mean absolute error over requests in per cent.
struct RequestErrors {
  double ttft = 0, tpot = 0, e2e = 0;
};
RequestErrors compare_requests(const MeasuredRun& measured, const Latencies& simulated);

}  // namespace gpucap::test

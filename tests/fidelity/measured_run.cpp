#include "measured_run.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <sstream>

#include "shared_data.hpp"
#include <fmt/format.h>

namespace gpucap::test {
namespace {

/// Columns of the file: request, arrival_s, queued_s, prompt_tokens, output_tokens, queue_wait_ms,
/// ttft_ms, tpot_ms, e2e_ms, finish_s.
std::vector<double> numbers_of(const std::string& line) {
  std::vector<double> numbers;
  std::istringstream cells(line);
  std::string cell;
  std::getline(cells, cell, ',');  // the name
  while (std::getline(cells, cell, ',')) numbers.push_back(std::stod(cell));
  return numbers;
}

Summary summary_of(const std::vector<RequestLatency>& requests, double RequestLatency::*member) {
  std::vector<double> values;
  for (const RequestLatency& request : requests) values.push_back(request.*member);
  return summarize(std::move(values));
}

double compare_summary(const std::string& name, const Summary& measured, const Summary& simulated) {
  double worst = 0;
  const auto line = [&](const char* statistic, double seen, double predicted) {
    const double error = error_percent(predicted, seen);
    worst = std::max(worst, std::abs(error));
    std::cout << fmt::format("  {:<10} measured {:>10.4f} s  simulated {:>10.4f} s  {:+6.2f} %\n",
                             name + " " + statistic, seen, predicted, error);
  };
  line("mean", *measured.mean, *simulated.mean);
  line("p50", *measured.p50, *simulated.p50);
  line("p90", *measured.p90, *simulated.p90);
  line("p95", *measured.p95, *simulated.p95);
  line("p99", *measured.p99, *simulated.p99);
  return worst;
}

}  // namespace

Summary MeasuredRun::queue() const {
  return summary_of(requests, &RequestLatency::queue);
}
Summary MeasuredRun::ttft() const {
  return summary_of(requests, &RequestLatency::ttft);
}
Summary MeasuredRun::tpot() const {
  return summary_of(requests, &RequestLatency::tpot);
}
Summary MeasuredRun::e2e() const {
  return summary_of(requests, &RequestLatency::e2e);
}

std::optional<MeasuredRun> measured_run(const std::string& card) {
  const std::string stem = "measured/serving/llmservingsim_" + card + "_llama-31-8b_";
  const auto trace = shared_data(stem + "trace.jsonl");
  const auto table = shared_data(stem + "requests.csv");
  if (!trace || !table) return std::nullopt;
  MeasuredRun run;
  run.trace = *trace;
  std::ifstream file(*table);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const auto n = numbers_of(line);
    run.requests.push_back({n.at(4) * 1e-3, n.at(5) * 1e-3, n.at(6) * 1e-3, n.at(7) * 1e-3});
    run.makespan_s = std::max(run.makespan_s, n.at(8));
  }
  return run;
}

void Latencies::finished(const record::RequestRow& row) {
  RequestLatency latency;
  latency.queue = as_seconds(row.scheduled) - as_seconds(row.arrival);
  latency.ttft = as_seconds(row.first_token) - as_seconds(row.arrival);
  latency.e2e = as_seconds(row.finished) - as_seconds(row.arrival);
  const auto gaps = std::max<std::int64_t>(1, row.output_tokens - 1);
  latency.tpot = (latency.e2e - latency.ttft) / static_cast<double>(gaps);
  by_id[row.id] = latency;
}

double error_percent(double simulated, double measured) {
  return 100 * (simulated / measured - 1);
}

double compare(const std::string& title, const MeasuredRun& measured,
               const evaluate::Outcome& simulated) {
  const double makespan = *simulated.throughput.makespan_s;
  std::cout << fmt::format(
      "{}\n  makespan   measured {:>10.2f} s  simulated {:>10.2f} s  {:+6.2f} "
      "%\n",
      title, measured.makespan_s, makespan, error_percent(makespan, measured.makespan_s));
  return std::max({compare_summary("TTFT", measured.ttft(), simulated.ttft_s),
                   compare_summary("TPOT", measured.tpot(), simulated.tpot_s),
                   compare_summary("E2E", measured.e2e(), simulated.e2e_s)});
}

RequestErrors compare_requests(const MeasuredRun& measured, const Latencies& simulated) {
  RequestErrors mean;
  const auto n = static_cast<double>(measured.requests.size());
  for (std::size_t i = 0; i < measured.requests.size(); ++i) {
    const RequestLatency& seen = measured.requests[i];
    const RequestLatency& predicted = simulated.by_id.at(static_cast<std::int64_t>(i));
    mean.ttft += std::abs(error_percent(predicted.ttft, seen.ttft)) / n;
    mean.tpot += std::abs(error_percent(predicted.tpot, seen.tpot)) / n;
    mean.e2e += std::abs(error_percent(predicted.e2e, seen.e2e)) / n;
  }
  std::cout << fmt::format(
      "  mean absolute error per request: TTFT {:.2f} %, TPOT {:.2f} %, E2E "
      "{:.2f} %\n",
      mean.ttft, mean.tpot, mean.e2e);
  return mean;
}

}  // namespace gpucap::test

#include "gpucap/validate/replay.hpp"

#include "gpucap/catalog/json_document.hpp"
#include "gpucap/units/sim_time.hpp"

#include <algorithm>
#include <cmath>

#include "csv_file.hpp"
#include "options_reader.hpp"

namespace gpucap::validate {
namespace {

using catalog::ObjectReader;

constexpr std::size_t statistic_count = 15;  // mean, p50, p90, p95, p99 of TTFT, TPOT and E2E

struct Latencies : record::Sink {
  std::map<std::int64_t, RequestLatency> by_id;

  void finished(const record::RequestRow& row) override {
    RequestLatency seen;
    seen.ttft = as_seconds(row.first_token) - as_seconds(row.arrival);
    seen.e2e = as_seconds(row.finished) - as_seconds(row.arrival);
    const auto gaps = std::max<std::int64_t>(1, row.output_tokens - 1);
    seen.tpot = (seen.e2e - seen.ttft) / static_cast<double>(gaps);
    by_id[row.id] = seen;
  }
};

Summary summary_of(const LoggedRequests& logged, double RequestLatency::*member) {
  std::vector<double> values;
  for (const RequestLatency& request : logged.requests) values.push_back(request.*member);
  return summarize(std::move(values));
}

void add_errors(std::vector<double>& errors, const Summary& simulated, const Summary& measured) {
  for (const auto member :
       {&Summary::mean, &Summary::p50, &Summary::p90, &Summary::p95, &Summary::p99}) {
    errors.push_back(error_of((simulated.*member).value_or(0), *(measured.*member)));
  }
}

double mean_error(const LoggedRequests& logged, const Latencies& simulated,
                  double RequestLatency::*member) {
  std::vector<double> sizes;
  for (std::size_t i = 0; i < logged.requests.size(); ++i) {
    const auto found = simulated.by_id.find(static_cast<std::int64_t>(i));
    if (found == simulated.by_id.end()) continue;  // refused: the makespan tells
    sizes.push_back(std::abs(error_of(found->second.*member, logged.requests[i].*member)));
  }
  return summarize(std::move(sizes)).mean.value_or(1);
}

std::optional<LoggedRun::Peer> read_peer(ObjectReader& run) {
  auto object = run.object("peer");
  if (!object) return std::nullopt;
  LoggedRun::Peer peer;
  peer.name = object->required("name", object->text("name"));
  peer.statistics = object->numbers("statistics");
  if (peer.statistics.size() != statistic_count) {
    object->problem("statistics", "must have fifteen numbers", "wrong-size");
  }
  peer.per_request.ttft = object->required("ttft_per_request", object->number("ttft_per_request"));
  peer.per_request.tpot = object->required("tpot_per_request", object->number("tpot_per_request"));
  peer.per_request.e2e = object->required("e2e_per_request", object->number("e2e_per_request"));
  object->finish();
  return peer;
}

LoggedRun read_run(ObjectReader object, const std::filesystem::path& folder) {
  LoggedRun run;
  run.name = object.required("name", object.text("name"));
  const std::string stem = object.required("stem", object.text("stem"));
  run.requests_file = folder / "serving" / (stem + "_requests.csv");
  run.trace = folder / "serving" / (stem + "_trace.jsonl");
  run.options = read_options(object, "options");
  run.in_process = object.flag("in_process").value_or(false);
  run.kv_cache_tokens = object.count("kv_cache_tokens");
  run.peer = read_peer(object);
  object.required("source", object.text("source"));
  object.finish();
  return run;
}

}  // namespace

std::vector<LoggedRun> logged_runs(const std::filesystem::path& folder,
                                   const std::filesystem::path& data_dir) {
  auto document = catalog::JsonDocument::read(
      (data_dir / "calibration" / "validation" / "replays.json").string());
  ObjectReader root(document);
  root.text("notes");
  root.text("clock_note");
  std::vector<LoggedRun> runs;
  for (ObjectReader object : root.objects("runs")) runs.push_back(read_run(object, folder));
  root.finish();
  document.throw_if_problems();
  std::erase_if(runs, [](const LoggedRun& run) {
    return !std::filesystem::exists(run.requests_file) || !std::filesystem::exists(run.trace);
  });
  return runs;
}

LoggedRequests read_logged_requests(const std::filesystem::path& file) {
  const CsvFile table(file, {"ttft_ms", "tpot_ms", "e2e_ms", "finish_s"});
  LoggedRequests logged;
  for (const CsvCells& row : table.rows()) {
    logged.requests.push_back(
        {row.needed("ttft_ms") * 1e-3, row.needed("tpot_ms") * 1e-3, row.needed("e2e_ms") * 1e-3});
    logged.makespan = std::max(logged.makespan, row.needed("finish_s"));
  }
  if (logged.requests.empty()) {
    throw InputError(Problem{file.string(), "", "", "holds no request", "empty-file"});
  }
  return logged;
}

double Replay::score() const {
  std::vector<double> sizes;
  for (const double error : statistics) sizes.push_back(std::abs(error));
  return summarize(std::move(sizes)).mean.value_or(0);
}

Replay replay(const LoggedRun& run, const LoggedRequests& logged, const scenario::Options& more,
              scenario::Library& library, const Change& change) {
  scenario::Options options = run.options;
  options.insert(options.end(), more.begin(), more.end());
  options.emplace_back("trace", run.trace.string());
  options.emplace_back("trace-format", "mooncake");
  options.emplace_back("trace-block-tokens", "16");
  Latencies latencies;
  Replay found;
  const Change as_measured = [&](plan::ServingQuestion& question) {
    if (run.in_process) question.engine.profile.host.front_end = Seconds{};
    if (change) change(question);
  };
  found.outcome = run_case(plan_case(options, library, as_measured), {&latencies});
  found.makespan_error = error_of(found.outcome.throughput.makespan_s.value_or(0), logged.makespan);
  add_errors(found.statistics, found.outcome.ttft_s, summary_of(logged, &RequestLatency::ttft));
  add_errors(found.statistics, found.outcome.tpot_s, summary_of(logged, &RequestLatency::tpot));
  add_errors(found.statistics, found.outcome.e2e_s, summary_of(logged, &RequestLatency::e2e));
  found.per_request = {mean_error(logged, latencies, &RequestLatency::ttft),
                       mean_error(logged, latencies, &RequestLatency::tpot),
                       mean_error(logged, latencies, &RequestLatency::e2e)};
  return found;
}

}  // namespace gpucap::validate

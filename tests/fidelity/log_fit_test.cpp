// Runs of one model on one card, read as somebody's logs, and what the fit says of other models and
// cards: docs/models/fit-from-logs.md has the table that this test prints.
#include "gpucap/calibrate/log_fit.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <sstream>

#include "shared_data.hpp"
#include "support/catch.hpp"
#include <fmt/format.h>

namespace {

using namespace gpucap;
using namespace gpucap::calibrate;

/// Cells of one CSV record; quotes keep commas together.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

using Row = std::map<std::string, std::string>;

std::vector<Row> rows_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const auto names = cells_of(line);
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const auto cells = cells_of(line);
    Row row;
    for (std::size_t i = 0; i < names.size() && i < cells.size(); ++i) row[names[i]] = cells[i];
    rows.push_back(row);
  }
  return rows;
}

double number(const Row& row, const std::string& column) {
  const std::string& text = row.at(column);
  return text.empty() ? 0 : std::stod(text);
}

/// The run as its result file would have it; tensor-parallel rows of this table have unphysical
/// times to the first token, so of those tok/s count alone.
ServedRun run_of(const Row& row) {
  ServedRun run;
  run.name = row.at("case_id");
  run.model = row.at("model");
  run.completed = static_cast<std::int64_t>(number(row, "num_requests"));
  run.prompts = run.completed;
  run.input_tokens = static_cast<std::int64_t>(number(row, "total_input_tokens"));
  run.output_tokens = static_cast<std::int64_t>(number(row, "total_output_tokens"));
  run.duration = number(row, "duration_s") * unit::s;
  run.request_rate = number(row, "request_rate_rps") * unit::per_s;
  const auto add = [&](const char* column, const char* metric, const char* statistic, double unit) {
    const double value = number(row, column);
    if (value > 0) run.figures.push_back({metric, statistic, unit * value});
  };
  add("throughput_out_tok_s", "throughput", "out tok/s", 1);
  if (row.at("tp") != "1") return run;
  add("ttft_mean_ms", "ttft", "mean", 1e-3);
  add("ttft_p50_ms", "ttft", "p50", 1e-3);
  add("tpot_mean_ms", "tpot", "mean", 1e-3);
  add("tpot_p50_ms", "tpot", "p50", 1e-3);
  return run;
}

scenario::Library& library() {
  static scenario::Library shipped(GPUCAP_SOURCE_DIR);
  return shipped;
}

std::vector<LoggedCase> planned(const std::vector<Row>& rows, const std::string& card) {
  std::vector<LoggedCase> cases;
  for (const Row& row : rows) {
    LogSetup setup;
    setup.options = {{"gpu", card},
                     {"engine", "vllm-0.8.5"},
                     {"weight-dtype", "fp16"},
                     {"tensor-parallel", row.at("tp")}};
    const ServedRun run = run_of(row);
    const auto drawn = [&](std::int64_t sum) {
      return fmt::format("exponential:mean={},max=900",
                         static_cast<double>(sum) / static_cast<double>(run.completed));
    };
    setup.prompt_tokens = drawn(run.input_tokens);
    setup.output_tokens = drawn(run.output_tokens);
    try {
      cases.push_back(plan_logged(run, setup, library()));
    } catch (const InputError& error) {
      std::cout << "  left out: " << error.problems().front().line() << '\n';
    }
  }
  return cases;
}

struct Errors {
  std::vector<double> before, after;
};

/// By metric, absolute shares; TTFT and TPOT by their medians, tok/s of runs that the engine, not
/// the clients' clock, decided.
std::map<std::string, Errors> by_metric(const std::vector<LogError>& errors) {
  std::map<std::string, Errors> all;
  for (const LogError& one : errors) {
    if (!one.fitted || one.statistic == "mean") continue;
    const std::string key = one.metric == "throughput" ? "tok/s" : one.metric;
    all[key].before.push_back(std::fabs(one.before / one.measured - 1));
    all[key].after.push_back(std::fabs(one.after / one.measured - 1));
  }
  return all;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) / 2];
}

double worst(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}

void print(const std::string& what, const std::map<std::string, Errors>& all) {
  for (const auto& [metric, errors] : all) {
    std::cout << fmt::format(
        "  {:34} {:6} {:3} runs  median {:5.1f} -> {:5.1f} %   worst {:5.1f} "
        "-> {:5.1f} %\n",
        what, metric, errors.before.size(), 100 * median(errors.before), 100 * median(errors.after),
        100 * worst(errors.before), 100 * worst(errors.after));
  }
}

std::vector<Row> of(const std::vector<Row>& rows, const std::string& gpu, const std::string& tp,
                    const std::string& model) {
  std::vector<Row> found;
  for (const Row& row : rows) {
    const bool repeated = row.at("case_id").ends_with("_rep2");
    if (row.at("gpu") == gpu && row.at("tp") == tp && !repeated &&
        row.at("model").find(model) != std::string::npos) {
      found.push_back(row);
    }
  }
  return found;
}

const char* fitted_model = "meta-llama/Meta-Llama-3-8B-Instruct";

void print_results(const LogFit& fit) {
  for (const LogResult& one : fit.results) {
    std::cout << fmt::format("  {:17} {:8.4g} -> {:8.4g} {:2}  +- {:.2g}, {:.2f} of its prior{}\n",
                             one.key, one.before, one.after, one.unit, one.standard_error,
                             one.narrowed, one.identified ? "" : ": not identified, kept");
  }
}

}  // namespace

TEST_CASE("A fit to five runs of one model says how far it carries to other models and cards") {
  const auto path = test::shared_data("measured/serving/iog_vllm085_sharegpt.csv");
  if (!path) return;
  const auto rows = rows_of(*path);
  const auto cases = planned(of(rows, "RTX 4090", "1", fitted_model), "rtx-4090");
  REQUIRE(cases.size() == 5);
  std::vector<std::string> left;
  const LogFit fit = fit_logs(cases, sought_in(cases.front(), left));
  print_results(fit);
  const auto own = by_metric(fit.errors);
  print("fitted: Llama-3-8B", own);
  CHECK(median(own.at("tpot").after) <= median(own.at("tpot").before));
  CHECK(median(own.at("ttft").after) <= median(own.at("ttft").before));

  const auto carried = [&](const std::string& what, const std::string& tp,
                           const std::string& model) {
    const auto others = planned(of(rows, "RTX 4090", tp, model), "rtx-4090");
    if (others.empty()) return;
    print(what, by_metric(predict_logs(others, &fit.calibration, &fit.profile.host)));
  };
  carried("R1-Distill-Qwen-7B", "1", "Distill-Qwen-7B");
  carried("R1-Distill-Qwen-1.5B", "1", "Distill-Qwen-1.5B");
  carried("R1-Distill-Qwen-7B, TP2", "2", "Distill-Qwen-7B");
  carried("R1-Distill-Qwen-14B, TP2", "2", "Distill-Qwen-14B");
  carried("R1-Distill-Qwen-7B, TP4", "4", "Distill-Qwen-7B");
  carried("R1-Distill-Qwen-14B, TP4", "4", "Distill-Qwen-14B");
  // On another card only the engine's host times carry.
  for (const char* model : {"Meta-Llama-3-8B", "Distill-Qwen-1.5B", "Distill-Qwen-7B",
                            "Distill-Qwen-14B", "phi-4", "gemma-2-9b", "AceMath"}) {
    const auto others = planned(of(rows, "H100 PCIe", "1", model), "h100-pcie-80gb");
    if (others.empty()) continue;
    print(std::string("H100 PCIe, host only: ") + model,
          by_metric(predict_logs(others, nullptr, &fit.profile.host)));
  }
}

TEST_CASE("A fit to two loads of one model says how far it carries to its other loads") {
  const auto path = test::shared_data("measured/serving/iog_vllm085_sharegpt.csv");
  if (!path) return;
  const auto rows = of(rows_of(*path), "RTX 4090", "1", fitted_model);
  std::vector<Row> shown, held;
  for (const Row& row : rows) {
    const bool show = row.at("case_id").ends_with("_q1") || row.at("case_id").ends_with("_q16");
    (show ? shown : held).push_back(row);
  }
  const auto cases = planned(shown, "rtx-4090");
  std::vector<std::string> left;
  const LogFit fit = fit_logs(cases, sought_in(cases.front(), left));
  print_results(fit);
  print("fitted: 1 and 16 requests/s", by_metric(fit.errors));
  const auto others =
      by_metric(predict_logs(planned(held, "rtx-4090"), &fit.calibration, &fit.profile.host));
  print("held out: 4, 8 and 32 requests/s", others);
  CHECK(others.size() == 3);
}

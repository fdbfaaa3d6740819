#include "gpucap/core/file.hpp"

#include <algorithm>
#include <limits>

#include "json_log.hpp"
#include "vllm_bench.hpp"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpucap::calibrate {
namespace {

constexpr std::string_view tool = "vllm bench serve --save-result";

/// "2025-06-10" from "20250610-163304"; nothing from other texts.
std::string date_of(const std::string& stamp) {
  const bool digits = stamp.size() >= 8 && std::all_of(stamp.begin(), stamp.begin() + 8,
                                                       [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) return "";
  return fmt::format("{}-{}-{}", stamp.substr(0, 4), stamp.substr(4, 2), stamp.substr(6, 2));
}

/// A number, the text "inf", or nothing where the file does not say.
std::optional<Frequency> rate_of(LogObject& object) {
  const std::string word = object.text("request_rate");
  if (word == "inf") return std::numeric_limits<double>::infinity() * unit::per_s;
  const auto rate = object.number("request_rate");
  if (rate && *rate == 0) object.problem("request_rate", "must be above zero", "out-of-range");
  return rate ? std::optional(*rate * unit::per_s) : std::nullopt;
}

void add_latencies(ServedRun& run, LogObject& object) {
  for (const auto& [there, here] : bench_latencies()) {
    for (const auto& [statistic, name] : bench_statistics()) {
      const std::string key = fmt::format("{}_{}_ms", statistic, there);
      const auto value = object.number(key);
      if (!value || *value == 0) continue;  // 0: answers of one token have no time per token
      run.figures.push_back({here, name, 1e-3 * *value});
      run.places[here + " " + name] = object.place(key);
    }
  }
}

void add_rates(ServedRun& run, LogObject& object) {
  for (const auto& [key, statistic] : {std::pair{"request_throughput", "req/s"},
                                       {"output_throughput", "out tok/s"},
                                       {"total_token_throughput", "total tok/s"}}) {
    const auto value = object.number(key);
    if (!value) continue;
    run.figures.push_back({"throughput", statistic, *value});
    run.places[std::string("throughput ") + statistic] = object.place(key);
  }
}

/// Failed requests have no answer; the run is repeated without them.
void add_lengths(ServedRun& run, LogObject& object) {
  const auto prompts = object.counts("input_lens");
  const auto answers = object.counts("output_lens");
  if (prompts.size() != answers.size()) {
    if (!prompts.empty() && !answers.empty()) {
      object.problem(
          "output_lens",
          fmt::format("{} lengths, but input_lens has {}", answers.size(), prompts.size()),
          "contradiction");
    }
    return;
  }
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    if (prompts[i] == 0 || answers[i] == 0) continue;
    run.prompt_lengths.push_back(prompts[i]);
    run.output_lengths.push_back(answers[i]);
  }
}

ServedRun run_of(LogObject object, const std::string& file, const std::string& name) {
  ServedRun run;
  run.file = file;
  run.name = name;
  run.model = object.text("model_id");
  run.date = date_of(object.text("date"));
  run.prompts = object.count("num_prompts");
  run.completed = object.needed_count("completed", tool);
  run.input_tokens = object.needed_count("total_input_tokens", tool);
  run.output_tokens = object.needed_count("total_output_tokens", tool);
  run.duration = object.needed("duration", tool) * unit::s;
  run.request_rate = rate_of(object);
  run.clients = object.count("max_concurrency");
  run.burstiness = object.number("burstiness").value_or(1);
  if (run.burstiness < 0.01 || run.burstiness > 1e6) {
    object.problem("burstiness",
                   fmt::format("{} is no burstiness between 0.01 and 1,000,000", run.burstiness),
                   "out-of-range");
  }
  for (const char* key :
       {"", "completed", "total_input_tokens", "total_output_tokens", "duration", "model_id"}) {
    run.places[key] = object.place(key);
  }
  add_latencies(run, object);
  add_rates(run, object);
  add_lengths(run, object);
  if (run.figures.empty()) {
    object.problem("", fmt::format("holds no latency and no throughput; {} writes them", tool),
                   "missing-key");
  }
  return run;
}

}  // namespace

const std::vector<std::pair<std::string, std::string>>& bench_latencies() {
  static const std::vector<std::pair<std::string, std::string>> names{
      {"ttft", "ttft"}, {"tpot", "tpot"}, {"itl", "itl"}, {"e2el", "e2e"}};
  return names;
}

const std::vector<std::pair<std::string, std::string>>& bench_statistics() {
  static const std::vector<std::pair<std::string, std::string>> names{
      {"mean", "mean"}, {"median", "p50"}, {"p99", "p99"}};
  return names;
}

std::vector<ServedRun> vllm_bench_json(const std::filesystem::path& file, std::string text) {
  auto document = open_json_log(file, std::move(text));
  std::vector<ServedRun> runs;
  const std::string name = file.filename().string();
  if (document.root().is_array()) {
    for (std::size_t i = 0; i < document.root().size(); ++i) {
      runs.push_back(run_of({document, fmt::format("/{}", i)}, file.string(),
                            fmt::format("{} #{}", name, i + 1)));
    }
  } else {
    runs.push_back(run_of({document, ""}, file.string(), name));
  }
  document.throw_if_problems();
  return runs;
}

std::vector<ServedRun> read_vllm_bench(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  const bool is_json =
      first == std::string::npos || text[first] == '{' || text[first] == '[' || text[first] == '<';
  auto runs = is_json ? vllm_bench_json(file, text) : vllm_bench_text(file, text);
  std::vector<Problem> problems;
  for (const ServedRun& run : runs) {
    const auto found = contradictions(run);
    problems.insert(problems.end(), found.begin(), found.end());
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return runs;
}

}  // namespace gpucap::calibrate

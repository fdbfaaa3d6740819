#pragma once

#include "gpucap/core/error.hpp"
#include "gpucap/units/quantity.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::calibrate {

/// Where a figure stands in a log: "line:column" and, in JSON, the pointer.
struct LogPlace {
  std::string position, pointer;
};

/// One figure of a run.
struct LoggedFigure {
  std::string metric;     ///< "ttft", "tpot", "itl", "e2e" or "throughput"
  std::string statistic;  ///< "mean", "p50", "p99"; of a throughput "req/s", "out tok/s", ...
  double value = 0;       ///< seconds, or per second
};

/// One run of a serving benchmark, as its log has it.
struct ServedRun {
  std::string file;           ///< as the user named it
  std::string name;           ///< for tables: the file, and which run of several
  std::string model;          ///< as the log names it; empty where it does not
  std::string date;           ///< "2025-06-10"; empty where the log does not say
  std::string gpu;            ///< as the driver names it; empty where the log does not say
  std::string weight_format;  ///< id; empty where the log does not say
  std::optional<std::int64_t> parameters;      ///< of the model
  std::optional<std::int64_t> layers_on_card;  ///< absent: all, or the log does not say
  std::optional<std::int64_t> step_tokens;     ///< tokens of a prompt in one step, at most
  std::optional<std::int64_t> prompts;         ///< sent; absent where the log does not say
  std::int64_t completed = 0, input_tokens = 0, output_tokens = 0;
  Seconds duration;
  std::optional<Frequency> request_rate;  ///< infinite: all at once; absent: the log does not say
  std::optional<std::int64_t> clients;    ///< requests in flight, at most
  double burstiness = 1;
  std::vector<LoggedFigure> figures;
  std::vector<std::int64_t> prompt_lengths, output_lengths;  ///< request by request, or empty
  std::map<std::string, LogPlace> places;  ///< by key or "metric statistic"; "" is the run itself
  bool decides = true;    ///< false: shown beside predictions, but nothing is fitted to it
  double printed_to = 0;  ///< rates are rounded to this (0.01 on the console)

  [[nodiscard]] const LoggedFigure* figure(const std::string& metric,
                                           const std::string& statistic) const;
  [[nodiscard]] Problem problem(const std::string& place, std::string message,
                                std::string code) const;
};

/// Reads the runs of a file of vLLM's serving benchmark: what `vllm bench serve --save-result` and
/// the older benchmark_serving.py write, or console text with one or several result blocks in it.
/// Throws InputError with every problem: another kind of file, cut off, keys that are missing,
/// numbers that no run can have, figures that contradict each other.
std::vector<ServedRun> read_vllm_bench(const std::filesystem::path& file);

/// Reads the tests of `llama-bench -o json` that time a prompt (pp) or an answer (tg) alone, each
/// as a run of one request. Beyond 1,024 tokens attention counts for more than what they can
/// identify: such tests are shown only. Throws InputError like read_vllm_bench; tests that did not
/// run on a GPU are problems.
std::vector<ServedRun> read_llama_bench(const std::filesystem::path& file);

/// What contradicts itself within a run: more completed than sent, a throughput that tokens and
/// duration do not give within 2 %, a 99th percentile below the median.
std::vector<Problem> contradictions(const ServedRun& run);

}  // namespace gpucap::calibrate

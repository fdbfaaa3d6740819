#include "options.hpp"

#include "gpucap/metrics/slo.hpp"
#include "gpucap/scenario/read.hpp"
#include "gpucap/scenario/settings.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

namespace gpucap::cli {
namespace {

constexpr std::int64_t least_draws = 10;  // the ends of the middle 80 % are then different draws

using scenario::Setting;

/// Option of the command line and the place in a scenario that it stands for.
struct Mapping {
  const char* option;
  const char* pointer;
  bool is_text;
};

constexpr std::array mappings{
    Mapping{"model", "/workload/model", true},
    Mapping{"gpu", "/candidates/0/node/gpu", true},
    Mapping{"count", "/candidates/0/node/count", false},
    Mapping{"host", "/candidates/0/node/host", true},
    Mapping{"tensor-parallel", "/candidates/0/layout/tensor_parallel", false},
    Mapping{"pipeline-parallel", "/candidates/0/layout/pipeline_parallel", false},
    Mapping{"replicas", "/candidates/0/layout/replicas", false},
    Mapping{"engine", "/candidates/0/engine/kind", true},
    Mapping{"max-num-seqs", "/candidates/0/engine/max_num_seqs", false},
    Mapping{"max-num-batched-tokens", "/candidates/0/engine/max_num_batched_tokens", false},
    Mapping{"gpu-memory-utilization", "/candidates/0/engine/gpu_memory_utilization", false},
    Mapping{"max-model-len", "/candidates/0/engine/max_model_len", false},
    Mapping{"weight-dtype", "/candidates/0/engine/weight_dtype", true},
    Mapping{"kv-dtype", "/candidates/0/engine/kv_dtype", true},
    Mapping{"kv-cache-tokens", "/candidates/0/engine/kv_cache_tokens", false},
    Mapping{"kv-cache-memory", "/candidates/0/engine/kv_cache_memory", true},
    Mapping{"router", "/candidates/0/router", true},
    Mapping{"offer", "/candidates/0/offer", true},
    Mapping{"prompt-tokens", "/workload/prompt_tokens", false},
    Mapping{"output-tokens", "/workload/output_tokens", false},
    Mapping{"trace", "/workload/trace/file", true},
    Mapping{"trace-format", "/workload/trace/format", true},
    Mapping{"trace-block-tokens", "/workload/trace/block_tokens", false},
    Mapping{"rate-scale", "/workload/trace/rate_scale", false},
    Mapping{"seed", "/seed", false},
};

void add(std::vector<Setting>& settings, const std::string& option, const std::string& pointer,
         const std::string& value, bool is_text = false) {
  settings.push_back({"--" + option, pointer, value, is_text});
}

void add_arrivals(Arguments& arguments, std::vector<Setting>& settings) {
  const std::string arrivals = "/workload/arrivals/";
  if (const auto rate = arguments.text("request-rate")) {
    // A bare number is per second; a text with a unit is taken as it is.
    const bool bare = static_cast<bool>(parse_number(*rate));
    add(settings, "request-rate", arrivals + "kind", "poisson", true);
    add(settings, "request-rate", arrivals + "rate", bare ? *rate + "/s" : *rate, true);
  }
  if (arguments.has("all-at-once")) {
    add(settings, "all-at-once", arrivals + "kind", "all-at-once", true);
  }
  if (const auto clients = arguments.text("concurrency")) {
    if (arguments.has("trace")) {
      add(settings, "concurrency", "/workload/trace/clients", *clients);
    } else {
      add(settings, "concurrency", arrivals + "kind", "closed-loop", true);
      add(settings, "concurrency", arrivals + "clients", *clients);
    }
  }
  if (const auto requests = arguments.text("requests")) {
    const char* place = arguments.has("trace") ? "/workload/trace/requests" : "/workload/requests";
    add(settings, "requests", place, *requests);
  }
}

/// Exactly one way for requests to arrive, and lengths for those that are made up.
void check_load(Arguments& arguments, LoadNeed need) {
  const bool replayed = arguments.has("trace");
  const int ways = (arguments.has("concurrency") && !replayed) + arguments.has("request-rate") +
                   arguments.has("all-at-once") + replayed;
  if (ways > 1) {
    arguments.problem(
        "request-rate",
        "only one of --concurrency, --request-rate, --all-at-once and --trace can be given",
        "contradiction");
  } else if (ways == 0 && need == LoadNeed::required) {
    arguments.problem("request-rate",
                      "one of --concurrency, --request-rate, --all-at-once and --trace is needed",
                      "missing-option");
  }
  for (const char* of_trace : {"trace-format", "trace-block-tokens", "rate-scale"}) {
    if (!replayed && arguments.has(of_trace)) {
      arguments.problem(of_trace, "is about a --trace, and there is none", "contradiction");
    }
  }
  for (const char* lengths : {"prompt-tokens", "output-tokens"}) {
    if (replayed && arguments.has(lengths)) {
      arguments.problem(lengths, "a trace has lengths of its own", "contradiction");
    }
    if (!replayed && !arguments.has(lengths) && need == LoadNeed::required) {
      arguments.problem(lengths, "is needed, such as 1500 or lognormal:mean=1500,p95=2600",
                        "missing-option");
    }
  }
  if (replayed && !arguments.has("trace-format")) {
    arguments.problem("trace-format", "is needed with --trace: azure, vidur, mooncake or gpucap",
                      "missing-option");
  }
}

std::string cards_of(Arguments& arguments) {
  // The reader refuses each of them above this; here only the product must not overflow.
  constexpr std::int64_t most = 1024;
  std::int64_t cards = 1;
  for (const char* factor : {"tensor-parallel", "pipeline-parallel", "replicas"}) {
    cards *= std::min(arguments.count(factor).value_or(1), most);
  }
  return std::to_string(std::min(cards, most));
}

std::vector<Setting> settings_of(Arguments& arguments, LoadNeed need) {
  std::vector<Setting> settings;
  for (const Mapping& mapping : mappings) {
    if (const auto value = arguments.text(mapping.option)) {
      add(settings, mapping.option, mapping.pointer, *value, mapping.is_text);
    }
  }
  if (!arguments.has("count")) {
    add(settings, "count", "/candidates/0/node/count", cards_of(arguments));
  }
  const auto caching =
      arguments.choice<const char*>("prefix-caching", {{"on", "true"}, {"off", "false"}});
  if (caching) {
    add(settings, "prefix-caching", "/candidates/0/engine/prefix_caching", *caching);
  }
  if (const auto price = arguments.text("price-per-hour")) {
    const bool per_hour = price->ends_with("/h");
    add(settings, "price-per-hour", "/candidates/0/price", per_hour ? *price : *price + "/h", true);
  }
  if (arguments.has("spec-only")) {
    add(settings, "spec-only", "/candidates/0/spec_only", "true");
  }
  add_arrivals(arguments, settings);
  if (need == LoadNeed::optional) {
    for (const auto& [option, place] : {std::pair{"prompt-tokens", "/workload/prompt_tokens"},
                                        std::pair{"output-tokens", "/workload/output_tokens"}}) {
      if (!arguments.has(option) && !arguments.has("trace")) add(settings, option, place, "1");
    }
  }
  return settings;
}

metrics::Slo slo_of(Arguments& arguments) {
  const auto text = arguments.text("slo");
  if (!text) return {};
  try {
    return metrics::parse_slo(*text);
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) {
      arguments.problem("slo", problem.message, problem.code);
    }
    return {};
  }
}

}  // namespace

InputError in_words_of_options(const InputError& error) {
  std::vector<Problem> problems = error.problems();
  for (Problem& problem : problems) {
    if (problem.file.starts_with("--")) {
      problem.pointer = problem.file;
      problem.file.clear();
    }
    for (const Mapping& mapping : mappings) {
      if (problem.pointer == mapping.pointer) problem.pointer = fmt::format("--{}", mapping.option);
    }
    if (problem.pointer == "/workload/arrivals/rate") problem.pointer = "--request-rate";
  }
  return InputError(std::move(problems));
}

scenario::Scenario scenario_from(Arguments& arguments, LoadNeed need, scenario::Library& library) {
  for (const char* needed : {"model", "gpu"}) {
    if (!arguments.has(needed)) arguments.problem(needed, "is needed", "missing-option");
  }
  check_load(arguments, need);
  if (arguments.has("offer") && arguments.has("price-per-hour")) {
    arguments.problem("price-per-hour", "there is an --offer already; give one of the two",
                      "contradiction");
  }
  const auto settings = settings_of(arguments, need);
  const auto slo = slo_of(arguments);
  arguments.throw_if_problems();
  const std::string name =
      fmt::format("{} on {}", *arguments.text("model"), *arguments.text("gpu"));
  try {
    auto document = scenario::document_from(name, settings);
    auto found = scenario::read_scenario(document, "", library);
    found.slo = slo;
    return found;
  } catch (const InputError& error) {
    throw in_words_of_options(error);
  }
}

std::vector<Option> node_options() {
  return {{"model", "M", "model id, or path of a config.json"},
          {"gpu", "G", "card id, such as rtx-4090"},
          {"count", "N", "cards in all (default: what the layout needs)"},
          {"host", "H", "machine that holds the cards (default: by card)"},
          {"tensor-parallel", "N", "cards that share each layer"},
          {"pipeline-parallel", "N", "groups of cards that share the layers"},
          {"replicas", "N", "engines side by side (default: what fits the count)"},
          {"engine", "E", "engine id (default: vllm-0.19)"},
          {"max-num-seqs", "N", "sequences that run at once"},
          {"max-num-batched-tokens", "N", "tokens in one step"},
          {"gpu-memory-utilization", "X", "share of the card that the engine may use"},
          {"max-model-len", "N|auto", "longest sequence"},
          {"weight-dtype", "D", "bf16, fp8, int8, int4-awq, ..."},
          {"kv-dtype", "D", "auto, bf16, fp16 or fp8"},
          {"kv-cache-tokens", "N", "KV cache given instead of predicted"},
          {"kv-cache-memory", "SIZE", "the same as a size, such as \"5 GiB\""},
          {"prefix-caching", "on|off", "reuse KV of equal prompt beginnings"}};
}

std::vector<Option> load_options() {
  return {{"prompt-tokens", "DIST", "N, lognormal:mean=..,p95=.., uniform:A..B, empirical:FILE"},
          {"output-tokens", "DIST", "the same for answers"},
          {"requests", "N", "how many (default 1000, or the whole trace)"},
          {"concurrency", "N", "closed loop of N clients"},
          {"request-rate", "R", "Poisson arrivals per second"},
          {"all-at-once", "", "everything arrives at 0"},
          {"trace", "FILE", "requests from a file"},
          {"trace-format", "F", "azure, vidur, mooncake or gpucap"},
          {"trace-block-tokens", "N", "tokens per block id of the trace"},
          {"rate-scale", "X", "makes the trace X times as fast"},
          {"router", "R", "round-robin or least-loaded"},
          {"slo", "LIMITS", "such as 'ttft_p95<2s,tpot_p95<100ms'"},
          {"offer", "ID", "price from an offer"},
          {"price-per-hour", "P", "price of the node, such as 1.20EUR"},
          {"spec-only", "", "ideal kernels at spec-sheet rates, nothing fitted"},
          {"reference", "", "one iteration at a time (how every run works so far)"},
          {"seed", "N", "of the random streams"}};
}

Option draws_option() {
  return {"draws", "N", "Monte Carlo draws of all that is fitted or random, for intervals"};
}

std::int64_t draws_of(Arguments& arguments) {
  const std::int64_t draws = arguments.count("draws", 0).value_or(0);
  if (draws > 0 && draws < least_draws) {
    arguments.problem(
        "draws",
        fmt::format("{} draws have no middle 80 %: at least {}, or 0 for none", draws, least_draws),
        "out-of-range");
  }
  return draws;
}

}  // namespace gpucap::cli

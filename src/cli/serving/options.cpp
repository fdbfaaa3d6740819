#include "options.hpp"

#include "gpucap/cli/option_words.hpp"
#include "gpucap/metrics/slo.hpp"
#include "gpucap/scenario/options.hpp"
#include "gpucap/scenario/read.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

namespace gpucap::cli {
namespace {

constexpr std::int64_t least_draws = 10;  // the ends of the middle 80 % are then different draws
constexpr std::int64_t most_draws = 100'000;  // ends known to 0.4 % of the draws; hours of running

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
  for (const char* generated : {"shared-prefix", "prefix-groups"}) {
    if (replayed && arguments.has(generated)) {
      arguments.problem(generated, "a trace has prefixes of its own", "contradiction");
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

/// The options that say something about the scenario; wrong words and counts are problems.
scenario::Options options_of(Arguments& arguments, LoadNeed need) {
  if (!arguments.has("count")) {  // they decide it then, so they must be counts
    for (const char* factor : {"tensor-parallel", "pipeline-parallel", "replicas"}) {
      arguments.count(factor);
    }
  }
  arguments.choice<bool>("prefix-caching", {{"on", true}, {"off", false}});
  scenario::Options options;
  for (const auto& described : {node_options(), load_options()}) {
    for (const Option& option : described) {
      if (!arguments.has(option.name)) continue;
      options.emplace_back(option.name, arguments.text(option.name).value_or(""));
    }
  }
  if (need == LoadNeed::optional) {
    for (const char* lengths : {"prompt-tokens", "output-tokens"}) {
      if (!arguments.has(lengths) && !arguments.has("trace")) options.emplace_back(lengths, "1");
    }
  }
  return options;
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
  return in_words_of_options(
      error, [](const std::string& pointer) { return scenario::option_at(pointer); });
}

serving::Stepping stepping_of(const Arguments& arguments) {
  return arguments.has("reference") ? serving::Stepping::reference : serving::Stepping::jumps;
}

Option reference_option() {
  return {"reference", "", "the slow path: one iteration at a time, with equal results"};
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
  const auto settings = scenario::settings_of(options_of(arguments, need));
  const auto slo = slo_of(arguments);
  arguments.throw_if_problems();
  const std::string name =
      fmt::format("{} on {}", *arguments.text("model"), *arguments.text("gpu"));
  try {
    auto document = scenario::document_from(name, "serving", settings);
    auto found = scenario::read_scenario(document, "", library);
    found.slo = slo;
    found.stepping = stepping_of(arguments);
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
          {"shared-prefix", "N", "tokens that all prompts begin with"},
          {"prefix-groups", "N", "different beginnings (default 1)"},
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
          {"calibration", "FILE", "own fit of the card, as gpucap fit writes it"},
          {"offer", "ID", "price from an offer"},
          {"price-per-hour", "P", "price of the node, such as 1.20EUR"},
          {"spec-only", "", "ideal kernels at spec-sheet rates, nothing fitted"},
          reference_option(),
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
  if (draws > most_draws) {
    arguments.problem("draws", fmt::format("at most {} draws", most_draws), "out-of-range");
  }
  return draws;
}

}  // namespace gpucap::cli

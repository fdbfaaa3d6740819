#include "gpucap/scenario/options.hpp"

#include "gpucap/units/parse.hpp"

#include <algorithm>
#include <cstdint>

#include "option_mapping.hpp"
#include <fmt/format.h>

namespace gpucap::scenario {
namespace {

constexpr OptionPlace places[] = {
    {"model", "/workload/model", true},
    {"gpu", "/candidates/0/node/gpu", true},
    {"count", "/candidates/0/node/count", false},
    {"host", "/candidates/0/node/host", true},
    {"tensor-parallel", "/candidates/0/layout/tensor_parallel", false},
    {"pipeline-parallel", "/candidates/0/layout/pipeline_parallel", false},
    {"replicas", "/candidates/0/layout/replicas", false},
    {"engine", "/candidates/0/engine/kind", true},
    {"max-num-seqs", "/candidates/0/engine/max_num_seqs", false},
    {"max-num-batched-tokens", "/candidates/0/engine/max_num_batched_tokens", false},
    {"gpu-memory-utilization", "/candidates/0/engine/gpu_memory_utilization", false},
    {"max-model-len", "/candidates/0/engine/max_model_len", false},
    {"weight-dtype", "/candidates/0/engine/weight_dtype", true},
    {"kv-dtype", "/candidates/0/engine/kv_dtype", true},
    {"kv-cache-tokens", "/candidates/0/engine/kv_cache_tokens", false},
    {"kv-cache-memory", "/candidates/0/engine/kv_cache_memory", true},
    {"router", "/candidates/0/router", true},
    {"calibration", "/calibrations", true},
    {"offer", "/candidates/0/offer", true},
    {"prompt-tokens", "/workload/prompt_tokens", false},
    {"output-tokens", "/workload/output_tokens", false},
    {"shared-prefix", "/workload/shared_prefix/tokens", false},
    {"prefix-groups", "/workload/shared_prefix/groups", false},
    {"trace", "/workload/trace/file", true},
    {"trace-format", "/workload/trace/format", true},
    {"trace-block-tokens", "/workload/trace/block_tokens", false},
    {"rate-scale", "/workload/trace/rate_scale", false},
    {"seed", "/seed", false},
};

void add(std::vector<Setting>& settings, const std::string& option, const std::string& pointer,
         const std::string& value, bool is_text = false) {
  settings.push_back({"--" + option, pointer, value, is_text});
}

void add_arrivals(const Options& options, std::vector<Setting>& settings) {
  const std::string arrivals = "/workload/arrivals/";
  const bool replayed = value_of(options, "trace").has_value();
  if (const auto rate = value_of(options, "request-rate")) {
    // A bare number is per second; a text with a unit is taken as it is.
    const bool bare = static_cast<bool>(parse_number(*rate));
    add(settings, "request-rate", arrivals + "kind", "poisson", true);
    add(settings, "request-rate", arrivals + "rate", bare ? *rate + "/s" : *rate, true);
  }
  if (value_of(options, "all-at-once")) {
    add(settings, "all-at-once", arrivals + "kind", "all-at-once", true);
  }
  if (const auto clients = value_of(options, "concurrency")) {
    if (replayed) {
      add(settings, "concurrency", "/workload/trace/clients", *clients);
    } else {
      add(settings, "concurrency", arrivals + "kind", "closed-loop", true);
      add(settings, "concurrency", arrivals + "clients", *clients);
    }
  }
  if (const auto requests = value_of(options, "requests")) {
    add(settings, "requests", replayed ? "/workload/trace/requests" : "/workload/requests",
        *requests);
  }
}

}  // namespace

std::optional<std::string> value_of(const Options& options, const std::string& name) {
  for (const auto& [option, value] : options) {
    if (option == name) return value;
  }
  return std::nullopt;
}

std::vector<Setting> settings_at(std::span<const OptionPlace> places, const Options& options) {
  std::vector<Setting> settings;
  for (const OptionPlace& place : places) {
    if (const auto value = value_of(options, place.option)) {
      add(settings, place.option, place.pointer, *value, place.is_text);
    }
  }
  return settings;
}

std::optional<std::string> option_at(std::span<const OptionPlace> places,
                                     const std::string& pointer) {
  for (const OptionPlace& place : places) {
    if (pointer == place.pointer) return fmt::format("--{}", place.option);
  }
  return std::nullopt;
}

std::string product_of(const Options& options, std::span<const char* const> factors) {
  // The reader refuses each of them above this; here only the product must not overflow.
  constexpr std::int64_t most = 1024;
  std::int64_t cards = 1;
  for (const char* factor : factors) {
    const auto parsed = parse_count(value_of(options, factor).value_or("1"));
    if (parsed && *parsed > 0) cards *= std::min(*parsed, most);
  }
  return std::to_string(std::min(cards, most));
}

std::optional<Setting> price_setting(const Options& options) {
  const auto price = value_of(options, "price-per-hour");
  if (!price) return std::nullopt;
  const std::string per_hour = price->ends_with("/h") ? *price : *price + "/h";
  return Setting{"--price-per-hour", "/candidates/0/price", per_hour, true};
}

std::vector<Setting> settings_of(const Options& options) {
  std::vector<Setting> settings = settings_at(places, options);
  if (!value_of(options, "count")) {
    constexpr const char* factors[] = {"tensor-parallel", "pipeline-parallel", "replicas"};
    add(settings, "count", "/candidates/0/node/count", product_of(options, factors));
  }
  if (const auto caching = value_of(options, "prefix-caching")) {
    add(settings, "prefix-caching", "/candidates/0/engine/prefix_caching",
        *caching == "on" ? "true" : "false");
  }
  if (const auto price = price_setting(options)) settings.push_back(*price);
  if (value_of(options, "spec-only")) {
    add(settings, "spec-only", "/candidates/0/spec_only", "true");
  }
  add_arrivals(options, settings);
  return settings;
}

std::optional<std::string> option_at(const std::string& pointer) {
  if (pointer == "/workload/arrivals/rate") return "--request-rate";
  return option_at(places, pointer);
}

std::string command_line(const Options& options) {
  std::string line = "gpucap estimate serving";
  for (const auto& [option, value] : options) {
    line += fmt::format(" --{}", option);
    if (value.empty()) continue;
    const bool plain = value.find_first_of(" '\"$`\\*?&|;<>()") == std::string::npos;
    line += plain ? " " + value : " '" + value + "'";
  }
  return line;
}

}  // namespace gpucap::scenario

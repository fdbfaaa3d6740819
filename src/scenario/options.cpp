#include "gpucap/scenario/options.hpp"

#include "gpucap/units/parse.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

namespace gpucap::scenario {
namespace {

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
    Mapping{"shared-prefix", "/workload/shared_prefix/tokens", false},
    Mapping{"prefix-groups", "/workload/shared_prefix/groups", false},
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

std::string cards_of(const Options& options) {
  // The reader refuses each of them above this; here only the product must not overflow.
  constexpr std::int64_t most = 1024;
  std::int64_t cards = 1;
  for (const char* factor : {"tensor-parallel", "pipeline-parallel", "replicas"}) {
    const auto parsed = parse_count(value_of(options, factor).value_or("1"));
    if (parsed && *parsed > 0) cards *= std::min(*parsed, most);
  }
  return std::to_string(std::min(cards, most));
}

}  // namespace

std::optional<std::string> value_of(const Options& options, const std::string& name) {
  for (const auto& [option, value] : options) {
    if (option == name) return value;
  }
  return std::nullopt;
}

std::vector<Setting> settings_of(const Options& options) {
  std::vector<Setting> settings;
  for (const Mapping& mapping : mappings) {
    if (const auto value = value_of(options, mapping.option)) {
      add(settings, mapping.option, mapping.pointer, *value, mapping.is_text);
    }
  }
  if (!value_of(options, "count")) {
    add(settings, "count", "/candidates/0/node/count", cards_of(options));
  }
  if (const auto caching = value_of(options, "prefix-caching")) {
    add(settings, "prefix-caching", "/candidates/0/engine/prefix_caching",
        *caching == "on" ? "true" : "false");
  }
  if (const auto price = value_of(options, "price-per-hour")) {
    const bool per_hour = price->ends_with("/h");
    add(settings, "price-per-hour", "/candidates/0/price", per_hour ? *price : *price + "/h", true);
  }
  if (value_of(options, "spec-only")) {
    add(settings, "spec-only", "/candidates/0/spec_only", "true");
  }
  add_arrivals(options, settings);
  return settings;
}

std::optional<std::string> option_at(const std::string& pointer) {
  if (pointer == "/workload/arrivals/rate") return "--request-rate";
  for (const Mapping& mapping : mappings) {
    if (pointer == mapping.pointer) return fmt::format("--{}", mapping.option);
  }
  return std::nullopt;
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

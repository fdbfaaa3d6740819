#include "gpucap/scenario/study.hpp"
#include "gpucap/serving/sequence.hpp"

#include <algorithm>

#include "planning.hpp"
#include <fmt/format.h>

namespace gpucap::scenario {
namespace {

[[noreturn]] void refuse(const std::string& pointer, std::string message, std::string code) {
  throw InputError(Problem{"", "", pointer, std::move(message), std::move(code)});
}

double scale_of(const LoadSpec& load) {
  return load.rate_scale.value_or(1);
}

}  // namespace

void check_lengths(const Scenario& scenario, const PlannedLoad& load) {
  const auto tokens = constant_tokens(scenario);
  if (!tokens) return;
  const models::Transformer& model = load.spec.model.value_or(scenario.model);
  if (*tokens > model.max_positions) {
    refuse("/workload/prompt_tokens",
           fmt::format("prompt and output have {} tokens together, {} takes {}", *tokens, model.id,
                       model.max_positions),
           "too-long");
  }
  std::int64_t largest = 0;
  for (const auto& one : load.cases) {
    const auto& rules = one.plan.rules;
    if (!one.plan.feasible) continue;
    largest =
        std::max(largest, std::min(rules.max_model_len, rules.kv_blocks * rules.block_tokens));
  }
  if (largest > 0 && *tokens > largest) {
    refuse("/workload/prompt_tokens",
           fmt::format("prompt and output have {} tokens together, the largest KV cache of the "
                       "candidates holds {}",
                       *tokens, largest),
           "too-long");
  }
}

void check_blocks(const Scenario& scenario, const PlannedLoad& load) {
  const auto* trace = std::get_if<Replayed>(&scenario.requests);
  if (trace == nullptr) return;
  const auto id_tokens = trace->content->block_tokens();
  for (const auto& one : load.cases) {
    if (!one.plan.feasible || !one.plan.rules.prefix_caching) continue;
    if (serving::block_sizes_agree(one.plan.rules.block_tokens, id_tokens)) continue;
    refuse("/workload/trace/block_tokens",
           fmt::format("ids of blocks of {} tokens cannot name the engine's blocks of {}; one must "
                       "divide the other",
                       id_tokens, one.plan.rules.block_tokens),
           "contradiction");
  }
}

void check_trace(const Scenario& scenario, const std::vector<PlannedLoad>& loads) {
  const auto* trace = std::get_if<Replayed>(&scenario.requests);
  if (trace == nullptr || loads.empty()) return;
  // The slowest replay has the latest arrivals; every other one reads the same rows.
  const auto slowest = std::min_element(
      loads.begin(), loads.end(),
      [](const auto& a, const auto& b) { return scale_of(a.spec) < scale_of(b.spec); });
  try {
    trace->content->check(trace->options.rate_scale * scale_of(slowest->spec));
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems) {
      if (problem.file.empty() && problem.pointer == "rate_scale") {
        problem.pointer = slowest->spec.rate_scale ? slowest->spec.pointer + "/rate_scale"
                                                   : "/workload/trace/rate_scale";
      }
    }
    throw InputError(std::move(problems));
  }
}

}  // namespace gpucap::scenario

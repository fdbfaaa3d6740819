#include "gpucap/scenario/study.hpp"

#include "gpucap/catalog/fits.hpp"
#include "gpucap/serving/sequence.hpp"

#include <algorithm>

#include "planning.hpp"
#include <fmt/format.h>

namespace gpucap::scenario {
namespace {

[[noreturn]] void refuse(const std::string& pointer, std::string message, std::string code) {
  throw InputError(Problem{"", "", pointer, std::move(message), std::move(code)});
}

template <class T>
T taken(const Parsed<T>& parsed, const std::string& pointer) {
  if (!parsed) refuse(pointer, parsed.failure().message, parsed.failure().code);
  return *parsed;
}

workload::Arrivals arrivals_of(const Generated& generated, const LoadSpec& load) {
  using workload::Arrivals;
  if (load.clients) {
    return taken(Arrivals::closed_loop(*load.clients), load.pointer + "/clients");
  }
  if (load.rate) {
    const std::string pointer = load.pointer + "/rate";
    return generated.burstiness ? taken(Arrivals::gamma(*load.rate, *generated.burstiness), pointer)
                                : taken(Arrivals::poisson(*load.rate), pointer);
  }
  if (generated.arrivals) return *generated.arrivals;
  refuse(
      "/workload/arrivals",
      fmt::format("load \"{}\" has no rate; write \"arrivals\" or \"rate\" in the load", load.name),
      "missing-key");
}

std::optional<std::int64_t> constant_tokens(const Scenario& scenario) {
  const auto* generated = std::get_if<Generated>(&scenario.requests);
  if (generated == nullptr) return std::nullopt;
  const auto prompt = generated->prompt_tokens.constant_tokens();
  const auto output = generated->output_tokens.constant_tokens();
  if (!prompt || !output) return std::nullopt;
  return *prompt + *output;
}

void check_constant_length(const Scenario& scenario, const PlannedLoad& load) {
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
  if (!std::holds_alternative<Replayed>(scenario.requests)) return;
  const auto id_tokens = requests_of(scenario, load.spec).requests->block_tokens();
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

std::vector<LoadSpec> loads_of(const Scenario& scenario) {
  if (!scenario.loads.empty()) return scenario.loads;
  LoadSpec only;
  only.name = "load";
  return {only};
}

}  // namespace

void require_simulable(const Scenario& scenario) {
  std::vector<Problem> problems;
  for (const Candidate& candidate : scenario.candidates) {
    if (candidate.layout.pipeline_parallel == 1) continue;
    problems.push_back({"", "", candidate.pointer + "/layout/pipeline_parallel",
                        "serving over pipeline stages is not simulated; \"memory serving\" sizes it",
                        "not-simulated"});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

workload::Load requests_of(const Scenario& scenario, const LoadSpec& load) {
  if (const auto* trace = std::get_if<Replayed>(&scenario.requests)) {
    workload::TraceOptions options = trace->options;
    options.rate_scale *= load.rate_scale.value_or(1);
    return {workload::open_trace(trace->file, options),
            load.clients ? load.clients : trace->clients};
  }
  const auto& generated = std::get<Generated>(scenario.requests);
  return workload::generate({scenario.seed, generated.requests, arrivals_of(generated, load),
                             generated.prompt_tokens, generated.output_tokens,
                             generated.shared_prefix});
}

std::optional<pricing::Date> as_of(const Scenario& scenario) {
  if (scenario.as_of) return scenario.as_of;
  std::vector<pricing::Offer> used;
  for (const Candidate& candidate : scenario.candidates) {
    if (candidate.offer) used.push_back(*candidate.offer);
  }
  return pricing::newest_date(used);
}

std::vector<PlannedLoad> plan_study(const Scenario& scenario, Library& library) {
  std::vector<PlannedLoad> planned;
  for (const LoadSpec& spec : loads_of(scenario)) {
    PlannedLoad load{spec, {}};
    for (const Candidate& candidate : scenario.candidates) {
      auto one = plan_case(scenario, candidate, spec.model.value_or(scenario.model), library);
      one.constant_tokens = constant_tokens(scenario);
      load.cases.push_back(std::move(one));
    }
    check_constant_length(scenario, load);
    check_blocks(scenario, load);
    planned.push_back(std::move(load));
  }
  return planned;
}

}  // namespace gpucap::scenario

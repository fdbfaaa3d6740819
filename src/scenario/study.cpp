#include "gpucap/scenario/study.hpp"

#include "gpucap/catalog/fits.hpp"

#include "planning.hpp"
#include "terms.hpp"
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

/// Arrivals must end while nanoseconds still fit into 64 bits, random ones with room to spare.
void check_rate(Frequency rate, std::int64_t requests, const std::string& pointer) {
  constexpr double longest_s = 1e8;
  const double seconds = static_cast<double>(requests) / rate.in(unit::per_s);
  if (!(seconds > longest_s)) return;
  refuse(pointer,
         fmt::format("at this rate {} requests take {:.1g} years to arrive", requests,
                     (seconds * unit::s).in(unit::day) / 365),
         "out-of-range");
}

workload::Arrivals arrivals_of(const Generated& generated, const LoadSpec& load) {
  using workload::Arrivals;
  if (load.clients) {
    return taken(Arrivals::closed_loop(*load.clients), load.pointer + "/clients");
  }
  if (load.rate) {
    const std::string pointer = load.pointer + "/rate";
    check_rate(*load.rate, generated.requests, pointer);
    if (generated.even_gaps) return taken(Arrivals::constant(*load.rate), pointer);
    return generated.burstiness ? taken(Arrivals::gamma(*load.rate, *generated.burstiness), pointer)
                                : taken(Arrivals::poisson(*load.rate), pointer);
  }
  if (generated.rate) {
    check_rate(*generated.rate, generated.requests, "/workload/arrivals/rate");
  }
  if (generated.arrivals) return *generated.arrivals;
  refuse(
      "/workload/arrivals",
      fmt::format("load \"{}\" has no rate; write \"arrivals\" or \"rate\" in the load", load.name),
      "missing-key");
}

}  // namespace

std::optional<std::int64_t> constant_tokens(const Scenario& scenario) {
  const auto* generated = std::get_if<Generated>(&scenario.requests);
  if (generated == nullptr) return std::nullopt;
  const auto prompt = generated->prompt_tokens.constant_tokens();
  if (scenario.model.encoder) return prompt;
  const auto output = generated->output_tokens.constant_tokens();
  if (!prompt || !output) return std::nullopt;
  return *prompt + *output;
}

namespace {

std::vector<LoadSpec> loads_of(const Scenario& scenario) {
  if (!scenario.loads.empty()) return scenario.loads;
  LoadSpec only;
  only.name = "load";
  return {only};
}

/// Every candidate planned; what is wrong with each is collected.
std::vector<evaluate::ServingCase> plan_candidates(const Scenario& scenario, const LoadSpec& load,
                                                   Library& library, const perf::Draw* draw) {
  std::vector<evaluate::ServingCase> cases;
  std::vector<Problem> problems;
  for (const Candidate& candidate : scenario.candidates) {
    try {
      std::optional<Candidate> other;
      if (load.weight_dtype) {
        other = candidate;
        other->engine.weight_dtype = load.weight_dtype;
      }
      const models::Transformer& model = load.model ? *load.model : scenario.model;
      cases.push_back(plan_case(scenario, other ? *other : candidate, model, library, draw));
      cases.back().constant_tokens = constant_tokens(scenario);
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return cases;
}

}  // namespace

void require_simulable(const Scenario& scenario) {
  if (const auto* generated = std::get_if<Generated>(&scenario.requests)) {
    for (const LoadSpec& load : loads_of(scenario)) arrivals_of(*generated, load);
  }
}

workload::Load requests_of(const Scenario& scenario, const LoadSpec& load, const perf::Draw* draw) {
  if (const auto* trace = std::get_if<Replayed>(&scenario.requests)) {
    const double rate_scale = trace->options.rate_scale * load.rate_scale.value_or(1);
    return {trace->content->open(rate_scale), load.clients ? load.clients : trace->clients};
  }
  const auto& generated = std::get<Generated>(scenario.requests);
  const std::uint64_t seed = draw != nullptr ? draw->workload_seed() : scenario.seed;
  return workload::generate({seed, generated.requests, arrivals_of(generated, load),
                             generated.prompt_tokens, generated.output_tokens,
                             generated.shared_prefix});
}

std::optional<pricing::Date> as_of(const Scenario& scenario) {
  return as_of(scenario, rented(scenario.candidates));
}

std::vector<PlannedLoad> plan_study(const Scenario& scenario, Library& library,
                                    const perf::Draw* draw) {
  std::vector<PlannedLoad> planned;
  for (const LoadSpec& spec : loads_of(scenario)) {
    planned.push_back({spec, plan_candidates(scenario, spec, library, draw)});
    if (draw != nullptr) continue;  // what no candidate could do was found before any draw
    check_lengths(scenario, planned.back());
    check_blocks(scenario, planned.back());
  }
  if (draw == nullptr) check_trace(scenario, planned);
  return planned;
}

}  // namespace gpucap::scenario

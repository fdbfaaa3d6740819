#include "gpucap/scenario/dump.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpucap::scenario {
namespace {

using nlohmann::ordered_json;

/// Sets what every load agrees on; `value` gives a JSON value for a planned case.
template <class Value>
void set_common(ordered_json& target, const char* key, const std::vector<PlannedLoad>& loads,
                std::size_t index, Value value) {
  const ordered_json first = value(loads[0].cases[index]);
  for (const PlannedLoad& load : loads) {
    if (ordered_json(value(load.cases[index])) != first) return;
  }
  target[key] = first;
}

void write_engine(ordered_json& engine, const std::vector<PlannedLoad>& loads, std::size_t index) {
  using evaluate::ServingCase;
  const auto set = [&](const char* key, auto value) {
    set_common(engine, key, loads, index, value);
  };
  set("kind", [](const ServingCase& c) { return c.plan.question.engine.profile.id; });
  set("weight_dtype", [](const ServingCase& c) { return c.plan.question.engine.weights.name; });
  set("kv_dtype",
      [](const ServingCase& c) { return std::string(name(c.plan.question.engine.kv_dtype)); });
  set("prefix_caching", [](const ServingCase& c) { return c.plan.rules.prefix_caching; });
  set("max_num_batched_tokens",
      [](const ServingCase& c) { return c.plan.rules.max_num_batched_tokens; });
  set("max_num_seqs", [](const ServingCase& c) { return c.plan.rules.max_num_seqs; });
  set("gpu_memory_utilization", [](const ServingCase& c) {
    const auto& settings = c.plan.question.engine;
    return settings.gpu_memory_utilization.value_or(settings.profile.gpu_memory_utilization);
  });
}

void write_candidate(ordered_json& target, const Candidate& candidate,
                     const std::vector<PlannedLoad>& loads, std::size_t index) {
  target["node"]["gpu"] = candidate.node.gpu.id;
  target["node"]["count"] = candidate.node.count;
  target["node"]["host"] = candidate.node.host.id;
  target["layout"]["replicas"] = loads[0].cases[index].plan.replicas;
  target["layout"]["tensor_parallel"] = candidate.layout.tensor_parallel;
  target["layout"]["pipeline_parallel"] = candidate.layout.pipeline_parallel;
  if (candidate.layout.expert_parallel) target["layout"]["expert_parallel"] = true;
  target["router"] = std::string(serving::name(candidate.router));
  if (candidate.offer) target["offer"] = candidate.offer->dated_id();
  write_engine(target["engine"], loads, index);
}

}  // namespace

std::string dump_resolved(const catalog::JsonDocument& document, const Scenario& scenario,
                          const std::vector<PlannedLoad>& loads) {
  auto resolved = ordered_json::parse(document.root().dump());
  resolved.erase("include");
  resolved["seed"] = scenario.seed;
  resolved["billing"]["hours_per_month"] = scenario.hours_per_month;
  if (const auto day = as_of(scenario)) resolved["as_of"] = day->text();
  for (std::size_t i = 0; i < scenario.candidates.size(); ++i) {
    write_candidate(resolved["candidates"][i], scenario.candidates[i], loads, i);
  }
  return resolved.dump(2) + "\n";
}

report::Listing plan_listing(const std::vector<PlannedLoad>& loads) {
  using report::Shown;
  report::Listing listing{{{"load", "LOAD"},
                           {"candidate", "CANDIDATE"},
                           {"model", "MODEL"},
                           {"gpu", "GPU"},
                           {"gpu_count", "CARDS", Shown::count},
                           {"replicas", "REPLICAS", Shown::count},
                           {"tensor_parallel", "TP", Shown::count},
                           {"engine", "ENGINE"},
                           {"max_num_batched_tokens", "STEP TOKENS", Shown::count},
                           {"max_num_seqs", "SEQS", Shown::count},
                           {"kv_cache_tokens", "KV TOKENS", Shown::count},
                           {"offer", "OFFER"},
                           {"feasible", "FITS", Shown::yes_no},
                           {"reason", "WHY NOT"}},
                          {}};
  for (const PlannedLoad& load : loads) {
    for (const evaluate::ServingCase& one : load.cases) {
      const auto& plan = one.plan;
      const auto& question = plan.question;
      const bool sized = plan.footprint.kv_cache_tokens > 0;
      listing.rows.push_back(
          {load.spec.name, one.name, question.model.id, question.node.gpu.id,
           std::int64_t{question.node.count}, std::int64_t{plan.replicas},
           std::int64_t{question.layout.tensor_parallel}, question.engine.profile.id,
           plan.rules.max_num_batched_tokens, plan.rules.max_num_seqs,
           sized ? report::Cell{plan.footprint.kv_cache_tokens} : report::Cell{},
           one.terms.price ? report::Cell{one.terms.price->offer} : report::Cell{},
           report::flag_cell(plan.feasible), report::text_cell(plan.reason)});
    }
  }
  return listing;
}

}  // namespace gpucap::scenario

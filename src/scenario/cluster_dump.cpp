#include "gpucap/scenario/cluster.hpp"

#include <nlohmann/json.hpp>

namespace gpucap::scenario {
namespace {

using nlohmann::ordered_json;

std::string rule_of(const cluster::Policy& policy) {
  for (const cluster::NamedRule& rule : cluster::queue_rules) {
    if (rule.order == policy.order && rule.backfill == policy.backfill) {
      return std::string(rule.name);
    }
  }
  return "";
}

ordered_json policy_json(const NamedPolicy& named) {
  using namespace cluster;
  constexpr const char* elasticities[] = {"none", "shrink", "resize"};
  const Policy& policy = named.policy;
  return {{"name", named.name},
          {"rule", rule_of(policy)},
          {"placement", policy.packing == Packing::pack ? "pack" : "spread"},
          {"elasticity", elasticities[static_cast<std::size_t>(policy.elasticity)]},
          {"overrun", policy.overrun == Overrun::run_on ? "run-on" : "cut"}};
}

void write_nodes(ordered_json& target, const NodesToRent& nodes) {
  target["node"]["gpu"] = nodes.node.gpu.id;
  target["node"]["count"] = nodes.node.count;
  target["node"]["host"] = nodes.node.host.id;
  target["nodes"] = nodes.nodes;
  if (nodes.offer) target["offer"] = nodes.offer->dated_id();
}

std::string price_text(const NodesToRent& nodes) {
  if (nodes.offer) return nodes.offer->dated_id();
  return nodes.price ? "price given" : "";
}

}  // namespace

std::string dump_resolved(const catalog::JsonDocument& document, const ClusterScenario& scenario) {
  auto resolved = ordered_json::parse(document.root().dump());
  resolved.erase("include");
  resolved["seed"] = scenario.seed;
  resolved["billing"]["hours_per_month"] = scenario.hours_per_month;
  if (const auto day = as_of(scenario)) resolved["as_of"] = day->text();
  resolved["policies"] = ordered_json::array();
  for (const NamedPolicy& policy : scenario.policies) {
    resolved["policies"].push_back(policy_json(policy));
  }
  for (std::size_t i = 0; i < scenario.candidates.size(); ++i) {
    auto& target = resolved["candidates"][i];
    const auto& groups = scenario.candidates[i].groups;
    const bool listed = target.contains("groups");
    for (std::size_t k = 0; k < groups.size(); ++k) {
      write_nodes(listed ? target["groups"][k] : target, groups[k]);
    }
  }
  return resolved.dump(2) + "\n";
}

report::Listing plan_listing(const ClusterScenario& scenario,
                             const std::vector<evaluate::ClusterCase>& cases) {
  using report::Shown;
  report::Listing listing{{{"policy", "POLICY"},
                           {"candidate", "CANDIDATE"},
                           {"group", "GROUP"},
                           {"gpu", "GPU"},
                           {"gpus_per_node", "GPUS A NODE", Shown::count},
                           {"nodes", "NODES", Shown::count},
                           {"fault_classes", "FAULT CLASSES", Shown::count},
                           {"offer", "OFFER"}},
                          {}};
  for (const NamedPolicy& policy : scenario.policies) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      for (const NodesToRent& nodes : scenario.candidates[i].groups) {
        listing.rows.push_back({policy.name, cases[i].name, nodes.name, nodes.node.gpu.id,
                                std::int64_t{nodes.node.count}, nodes.nodes,
                                static_cast<std::int64_t>(nodes.faults.size()),
                                report::text_cell(price_text(nodes))});
      }
    }
  }
  return listing;
}

}  // namespace gpucap::scenario

#include "gpucap/scenario/training.hpp"
#include "gpucap/training/exchange.hpp"

#include "read_training_settings.hpp"
#include "sections.hpp"
#include "training_words.hpp"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpucap::scenario {
namespace {

using training::Layout;
using training::Settings;

constexpr std::int64_t largest_total = 9'007'199'254'740'991;  // exact in every JSON reader

Layout read_degrees(ObjectReader layout, int cards) {
  Layout found;
  found.tensor = cards_from(layout, "tensor_parallel").value_or(1);
  found.pipeline = cards_from(layout, "pipeline_parallel").value_or(1);
  found.context = cards_from(layout, "context_parallel").value_or(1);
  found.expert = cards_from(layout, "expert_parallel").value_or(1);
  found.interleave = cards_from(layout, "interleave").value_or(1);
  found.zero = static_cast<int>(count_from(layout, "zero", 0, 3).value_or(0));
  found.sequence_parallel = layout.flag("sequence_parallel").value_or(true);
  const int others = found.tensor * found.pipeline * found.context;
  found.data = cards_from(layout, "data_parallel").value_or(std::max(1, cards / others));
  layout.finish();
  return found;
}

/// "layout": "search", an object of degrees, or nothing: all cards data-parallel.
void read_layout(ObjectReader& object, TrainingCandidate& candidate) {
  candidate.layout.data = candidate.node.count;
  const nlohmann::json* value = object.raw("layout");
  if (value == nullptr) return;
  if (value->is_string()) {
    object.choice<int>("layout", "layout", {{"search", 1}});
    candidate.search_batch = 0;  // told when the settings are known
  } else if (auto layout = object.object("layout")) {
    candidate.layout = read_degrees(std::move(*layout), candidate.node.count);
  }
}

/// The accumulation that makes up a stated global batch.
void apply_global_batch(ObjectReader& object, std::optional<std::int64_t> batch,
                        TrainingCandidate& candidate) {
  if (candidate.search_batch) {
    candidate.search_batch = batch.value_or(candidate.settings.micro_batch *
                                            candidate.settings.grad_accum * candidate.layout.data);
    return;
  }
  if (!batch) return;
  const std::int64_t at_once = candidate.settings.micro_batch * candidate.layout.data;
  if (*batch % at_once == 0) {
    candidate.settings.grad_accum = *batch / at_once;
    return;
  }
  object.document().add_problem(
      "/workload/global_batch",
      fmt::format("{} samples cannot be cut into micro-batches of {} on {} data-parallel ranks "
                  "(candidate \"{}\")",
                  *batch, candidate.settings.micro_batch, candidate.layout.data, candidate.name),
      "contradiction");
}

/// Several instances of an offer make up several machines, not one.
void check_instances(ObjectReader& object, const TrainingCandidate& candidate) {
  if (!candidate.offer || candidate.machines <= 1 || candidate.node.gpu.id.empty()) return;
  const int machine = training::cards_per_machine(candidate.node);
  if (candidate.offer->count >= machine) return;
  object.problem("offer",
                 fmt::format("this offer has {} cards, a machine of the node has {}",
                             candidate.offer->count, std::min(machine, candidate.node.count)),
                 "contradiction");
}

/// What the workload states for every candidate.
struct Stated {
  SettingsWords words;
  std::optional<std::string> software;
  std::optional<std::int64_t> global_batch;
};

TrainingCandidate read_candidate(ObjectReader& object, const Reading& reading,
                                 const TrainingScenario& scenario, const Stated& stated) {
  TrainingCandidate candidate;
  const HostRule rule = [](const catalog::HostBook& hosts, const plan::Node& node) {
    return hosts.default_cluster(node.gpu, node.count);
  };
  read_rented(object, reading, rule, candidate);
  check_instances(object, candidate);
  read_layout(object, candidate);
  SettingsWords words = stated.words;
  std::optional<std::int64_t> global_batch = stated.global_batch;
  if (auto own = object.object("training")) {
    words = read_settings_words(*own).over(words);
    if (const auto batch = count_from(*own, "global_batch")) global_batch = batch;
    own->finish();
  }
  candidate.settings = settings_from(words, scenario.network);
  if (auto problem = settings_problem(words, candidate.settings)) {
    object.document().add_problem(candidate.pointer + "/training", problem->message, problem->code);
  }
  apply_global_batch(object, global_batch, candidate);
  candidate.software = read_software_class(object, reading.library, scenario.network,
                                           candidate.settings, stated.software);
  object.finish();
  return candidate;
}

Stated read_training_workload(ObjectReader workload, const Reading& reading,
                              TrainingScenario& scenario) {
  Stated stated;
  workload.required("kind", workload.choice<int>("kind", "kind of workload", {{"training", 0}}));
  scenario.network = workload.required("model", read_network(workload, reading));
  scenario.tokens = count_from(workload, "tokens", 1, largest_total);
  scenario.samples = count_from(workload, "samples", 1, largest_total);
  if (scenario.tokens && scenario.samples) {
    workload.problem("samples", "tokens say it already; write one of the two", "contradiction");
  }
  if (scenario.tokens && std::holds_alternative<models::ConvNet>(scenario.network)) {
    workload.problem("tokens", "images have no tokens; write \"samples\"", "contradiction");
  }
  stated.words = read_settings_words(workload);
  stated.global_batch = count_from(workload, "global_batch");
  if (stated.global_batch && stated.words.grad_accum) {
    workload.problem("grad_accum", "global_batch says it already; write one of the two",
                     "contradiction");
  }
  stated.software = workload.text("software");  // looked up for each candidate
  workload.finish();
  return stated;
}

}  // namespace

const std::string& id_of(const training::Network& network) {
  return std::visit([](const auto& one) -> const std::string& { return one.id; }, network);
}

TrainingScenario read_training(catalog::JsonDocument& document, const std::filesystem::path& folder,
                               Library& library) {
  TrainingScenario scenario;
  const Reading reading{library, folder};
  ObjectReader root(document);
  read_common(root, scenario);
  read_calibrations(root, reading, scenario);
  Stated stated;
  if (auto workload = root.object("workload")) {
    stated = read_training_workload(*workload, reading, scenario);
  } else {
    root.required("workload", std::optional<int>{});
  }
  for (ObjectReader& object : root.objects("candidates")) {
    scenario.candidates.push_back(read_candidate(object, reading, scenario, stated));
    refuse_namesake(object, std::span<const TrainingCandidate>(scenario.candidates));
  }
  require_candidates(root);
  finish_scenario(root, scenario);
  return scenario;
}

}  // namespace gpucap::scenario

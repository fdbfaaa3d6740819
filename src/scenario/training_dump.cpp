#include "gpucap/report/training.hpp"
#include "gpucap/scenario/training.hpp"

#include <nlohmann/json.hpp>

namespace gpucap::scenario {
namespace {

using nlohmann::ordered_json;

ordered_json layout_of(const TrainingCandidate& candidate) {
  if (candidate.search_batch) return "search";
  ordered_json words;
  for (const auto& [name, degree] : training::degrees_of(candidate.layout)) {
    words[std::string(name)] = degree;
  }
  words["sequence_parallel"] = candidate.layout.sequence_parallel;
  return words;
}

ordered_json settings_of(const training::Settings& settings) {
  using training::name;
  ordered_json words = {{"method", name(settings.method)},
                        {"weights", name(settings.weights)},
                        {"arithmetic", gpucap::name(settings.arithmetic)},
                        {"gradients", gpucap::name(settings.gradients)},
                        {"optimizer", name(settings.optimizer)},
                        {"fused_optimizer", settings.fused_optimizer},
                        {"seq_len", settings.seq_len},
                        {"micro_batch", settings.micro_batch},
                        {"grad_accum", settings.grad_accum},
                        {"recompute", name(settings.recompute)},
                        {"attention", name(settings.attention)},
                        {"offload", name(settings.offload)}};
  if (settings.method != training::Method::full) {
    words["adapters"] = {{"rank", settings.adapters.rank},
                         {"targets", name(settings.adapters.targets)},
                         {"dropout", settings.adapters.dropout},
                         {"embeddings", settings.adapters.embeddings}};
  }
  if (settings.method == training::Method::qlora) {
    words["double_quantisation"] = settings.base.double_quantisation;
  }
  return words;
}

}  // namespace

std::string dump_resolved(const catalog::JsonDocument& document, const TrainingScenario& scenario) {
  auto resolved = ordered_json::parse(document.root().dump());
  resolved.erase("include");
  resolved["workload"].erase("global_batch");  // each candidate states its accumulation
  resolved["seed"] = scenario.seed;
  resolved["billing"]["hours_per_month"] = scenario.hours_per_month;
  if (const auto day = as_of(scenario)) resolved["as_of"] = day->text();
  for (std::size_t i = 0; i < scenario.candidates.size(); ++i) {
    const TrainingCandidate& candidate = scenario.candidates[i];
    auto& target = resolved["candidates"][i];
    target["node"]["gpu"] = candidate.node.gpu.id;
    target["node"]["count"] = candidate.node.count;
    target["node"]["host"] = candidate.node.host.id;
    target["layout"] = layout_of(candidate);
    target["training"] = settings_of(candidate.settings);
    target["software"] = candidate.software.id;
    if (candidate.search_batch) target["training"]["global_batch"] = *candidate.search_batch;
    if (candidate.offer) target["offer"] = candidate.offer->dated_id();
  }
  return resolved.dump(2) + "\n";
}

report::Listing plan_listing(const std::vector<evaluate::TrainingCase>& cases) {
  using report::Shown;
  report::Listing listing{{{"candidate", "CANDIDATE"},
                           {"model", "MODEL"},
                           {"gpu", "GPU"},
                           {"gpu_count", "CARDS", Shown::count},
                           {"layout", "LAYOUT"},
                           {"software", "SOFTWARE"},
                           {"offer", "OFFER"},
                           {"feasible", "FITS", Shown::yes_no},
                           {"reason", "WHY NOT"}},
                          {}};
  for (const evaluate::TrainingCase& one : cases) {
    const training::Question& question = one.question;
    const bool searched = one.search_batch.has_value();
    const auto problem = layout_problem(question);
    const auto footprint = training::training_footprint(question);
    listing.rows.push_back(
        {one.name, id_of(question.network), question.node.gpu.id, std::int64_t{question.node.count},
         searched ? std::string("search") : report::layout_text(question.layout),
         question.software.id,
         one.terms.price ? report::Cell{one.terms.price->offer} : report::Cell{},
         searched ? report::Cell{} : report::flag_cell(!problem && footprint.feasible),
         searched ? report::Cell{} : report::text_cell(footprint.reason)});
  }
  return listing;
}

}  // namespace gpucap::scenario

#include "gpucap/training/memory.hpp"

#include "gpucap/training/conv_net.hpp"

#include <algorithm>

#include "activations.hpp"
#include "gathered.hpp"
#include "memory_notes.hpp"
#include "rank_parameters.hpp"
#include "states.hpp"
#include "verdict.hpp"

namespace gpucap::training {
namespace {

/// Everything on one rank of one pipeline stage.
struct Load {
  RankParameters count;
  States states;
  Activations activations;
  Bytes gathered, narrowed, widened;

  [[nodiscard]] Bytes passes() const { return gathered + narrowed + widened + activations.peak(); }
  [[nodiscard]] Bytes working() const { return std::max(passes(), states.update); }
  [[nodiscard]] Bytes resident() const {
    return states.frozen + states.weights + states.gradients + states.optimizer;
  }
  [[nodiscard]] Bytes total() const { return resident() + working(); }
};

Load load_of(const Question& question, const models::Transformer& model, const models::Stage& stage,
             int index) {
  Load load;
  load.count = rank_parameters(model, stage, question.layout, question.settings.adapters);
  load.states = states_on_rank(question, load.count);
  load.activations = activations(question, model, stage, index, load.count);
  load.gathered = gathered_weights(question, stage, load.count);
  load.narrowed = narrowed_weights(question, load.count);
  load.widened = widened_matrix(question, load.count);
  return load;
}

std::vector<Load> loads(const Question& question, const models::Transformer& model) {
  std::vector<Load> all;
  for (const auto& stage : models::pipeline_stages(model, question.layout.pipeline)) {
    all.push_back(load_of(question, model, stage, static_cast<int>(all.size())));
  }
  return all;
}

const Load& fullest(const std::vector<Load>& all) {
  return *std::max_element(all.begin(), all.end(),
                           [](const Load& a, const Load& b) { return a.total() < b.total(); });
}

// Ranks of a stage hold alike, so a node's share is the sum over stages times ranks of each.
Bytes host_bytes(const std::vector<Load>& all, const Layout& layout) {
  Bytes sum;
  for (const auto& load : all) sum += load.states.host;
  return sum * (static_cast<double>(layout.cards()) / layout.pipeline);
}

Bytes load_peak(const Question& question, const Load& load) {
  const auto& memory = question.software.memory;
  const bool whole = memory.whole_model_at_load && question.settings.method == Method::qlora &&
                     question.layout.zero == 3 && shards(question.layout) > 1;
  const Bytes base = load.states.frozen + load.states.weights;
  const Bytes built = whole ? base_bytes(question.settings, load.count) : Bytes{};
  return memory.context + base + built;
}

void add_backward_terms(Footprint& f, const Load& load) {
  const auto& a = load.activations;
  if (a.logits > a.backward()) {
    f.terms.emplace_back("logits", a.logits);
    return;
  }
  f.terms.emplace_back("kept_logits", a.kept_logits);
  f.terms.emplace_back("recomputed_layer", a.layer);
  f.terms.emplace_back("backward_temporaries", a.temporary);
}

void add_working_terms(Footprint& f, const Load& load) {
  if (load.states.update > load.passes()) {
    f.terms.emplace_back("update_temporaries", load.states.update);
    return;
  }
  f.terms.emplace_back("kept_activations", load.activations.kept);
  f.terms.emplace_back("gathered_weights", load.gathered);
  f.terms.emplace_back("narrowed_weights", load.narrowed);
  f.terms.emplace_back("widened_matrix", load.widened);
  add_backward_terms(f, load);
}

// A caching allocator holds more than it needs, gives it back before an allocation fails, and so
// never decides what fits.
Bytes allocator_slack(const Question& question, Bytes allocated) {
  const auto& memory = question.software.memory;
  const Bytes room = question.node.gpu.memory_visible - memory.context - allocated;
  return std::clamp(allocated * (memory.reserved_over_allocated - 1), Bytes{},
                    std::max(room, Bytes{}));
}

void add_parts(Footprint& f, const Question& question, const Load& load) {
  const auto& memory = question.software.memory;
  const Bytes buffer = question.layout.zero >= 2 ? memory.shard_buffer : Bytes{};
  f.weights = load.states.frozen + load.states.weights;
  f.gradients = load.states.gradients;
  f.optimizer = load.states.optimizer;
  f.activations = load.working();
  f.peak_allocated = load.total() + buffer + memory.workspace;
  const Bytes slack = allocator_slack(question, f.peak_allocated);
  f.peak_reserved = f.peak_allocated + slack;
  f.other = memory.context + memory.workspace + buffer + slack;
  f.terms = {{"frozen_weights", load.states.frozen},
             {"trained_weights", load.states.weights},
             {"gradients", load.states.gradients},
             {"optimizer_states", load.states.optimizer}};
  add_working_terms(f, load);
  f.terms.emplace_back("shard_buffer", buffer);
  f.terms.emplace_back("workspace", memory.workspace);
  f.terms.emplace_back("allocator_slack", slack);
  f.terms.emplace_back("context", memory.context);
  std::erase_if(f.terms, [](const auto& term) { return term.second == Bytes{}; });
}

Footprint transformer_footprint(const Question& question, const models::Transformer& model) {
  Footprint f;
  const auto all = loads(question, model);
  const Load& load = fullest(all);
  add_parts(f, question, load);
  f.load_peak = load_peak(question, load);
  f.host = host_bytes(all, question.layout);
  f.checkpoint = checkpoint_bytes(question, model);
  judge(f, question);
  add_memory_notes(f, question, model);
  return f;
}

}  // namespace

Footprint training_footprint(const Question& question) {
  if (auto problem = layout_problem(question)) {
    Footprint f;
    f.reason = std::move(*problem);
    return f;
  }
  if (const auto* net = std::get_if<models::ConvNet>(&question.network)) {
    return conv_net_footprint(question, *net);
  }
  return transformer_footprint(question, std::get<models::Transformer>(question.network));
}

}  // namespace gpucap::training

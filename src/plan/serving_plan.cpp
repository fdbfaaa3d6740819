#include "gpucap/plan/serving_plan.hpp"

#include "gpucap/plan/collective.hpp"

#include <algorithm>

#include "origin_notes.hpp"
#include <fmt/format.h>

namespace gpucap::plan {
namespace {

/// An encoder takes each sequence whole and keeps nothing of it.
void rules_of_encoder(SchedulerRules& rules, const ServingQuestion& question) {
  const auto longest = question.engine.max_model_len.value_or(question.model.max_positions);
  rules.decodes = rules.chunked_prefill = rules.prefix_caching = false;
  rules.reserve_full_prompt = false;
  rules.max_num_batched_tokens = std::max(rules.max_num_batched_tokens, longest);
}

SchedulerRules rules_for(const ServingQuestion& question) {
  const EngineSettings& settings = question.engine;
  const perf::EngineProfile& profile = settings.profile;
  const auto card = perf::default_limits(
      profile, question.node.gpu, settings.max_model_len.value_or(question.model.max_positions));
  SchedulerRules rules;
  rules.batching = profile.batching;
  rules.chunked_prefill = card.chunked_prefill;
  rules.prefix_caching = settings.prefix_caching.value_or(profile.prefix_caching);
  const int stages = question.layout.pipeline_parallel;
  // An engine that runs one batch to its end has one step in flight, whatever it runs on.
  const bool one_by_one =
      profile.fixed_max_num_seqs == 1 || profile.batching == perf::EngineProfile::Batching::gang;
  rules.async_scheduling = profile.async_scheduling && stages == 1;
  rules.stages_in_flight = one_by_one ? 1 : stages;
  rules.reserve_full_prompt = profile.reserve_full_prompt;
  rules.max_num_batched_tokens =
      settings.max_num_batched_tokens.value_or(card.max_num_batched_tokens);
  rules.max_num_seqs = profile.fixed_max_num_seqs.value_or(
      settings.max_num_seqs.value_or(std::min(card.max_num_seqs, rules.max_num_batched_tokens)));
  if (question.model.encoder) rules_of_encoder(rules, question);
  if (question.model.sliding_layers > 0) rules.sliding_window = question.model.sliding_window;
  return rules;
}

perf::ServingMemoryQuestion memory_question(const ServingPlan& plan) {
  const ServingQuestion& question = plan.question;
  const EngineSettings& settings = question.engine;
  perf::ServingMemoryQuestion memory;
  memory.model = &question.model;
  memory.gpu = &question.node.gpu;
  memory.engine = &settings.profile;
  memory.weights = settings.weights;
  memory.kv_dtype = settings.kv_dtype;
  memory.tensor_parallel = question.layout.tensor_parallel;
  memory.pipeline_parallel = question.layout.pipeline_parallel;
  memory.expert_parallel = question.layout.expert_parallel;
  memory.max_num_batched_tokens = plan.rules.max_num_batched_tokens;
  memory.max_num_seqs = plan.rules.max_num_seqs;
  memory.gpu_memory_utilization =
      settings.gpu_memory_utilization.value_or(settings.profile.gpu_memory_utilization);
  memory.max_model_len = settings.max_model_len;
  memory.kv_cache_tokens = settings.kv_cache_tokens;
  memory.kv_cache_memory = settings.kv_cache_memory;
  return memory;
}

/// The card cannot compute in the model's own format at all; empty when it can.
std::string arithmetic_problem(const ServingQuestion& question) {
  if (question.node.gpu.computes_in(question.model.dtype)) return "";
  return fmt::format("{} has no {} arithmetic, which {} needs", question.node.gpu.id,
                     name(question.model.dtype), question.model.id);
}

/// Why this layout cannot be put on this node at all; empty when it can.
std::string layout_problem(const ServingQuestion& question) {
  const Layout& layout = question.layout;
  const int per_replica = layout.tensor_parallel * layout.pipeline_parallel;
  const int needed = per_replica * layout.replicas.value_or(1);
  if (needed > question.node.count) {
    return fmt::format(
        "{} cards are needed (replicas x tensor parallel x pipeline parallel), the "
        "node has {}",
        needed, question.node.count);
  }
  if (per_replica > question.node.host.max_gpus) {
    return fmt::format("a replica of {} cards does not fit host {}, which holds {}", per_replica,
                       question.node.host.id, question.node.host.max_gpus);
  }
  const auto split = models::tensor_parallel_problem(question.model, layout.tensor_parallel,
                                                     layout.expert_parallel);
  return split.value_or(arithmetic_problem(question));
}

models::ProductKernels widening(models::ProductKernels kernels) {
  using Kernels = models::ProductKernels;
  return kernels == Kernels::int8_w8a8 ? Kernels::int8_weight_only : Kernels::fp8_weight_only;
}

/// Cards compute in the formats that they have; weights stored in another are widened on the way.
void settle_arithmetic(ServingPlan& plan) {
  ServingQuestion& question = plan.question;
  const hardware::Gpu& gpu = question.node.gpu;
  models::WeightFormat& weights = question.engine.weights;
  if (gpu.computes_in(weights.compute)) return;
  plan.notes.push_back(fmt::format("{} has no {} arithmetic: {} weights are widened to {}", gpu.id,
                                   name(weights.compute), weights.name,
                                   name(question.model.dtype)));
  weights.compute = question.model.dtype;
  if (weights.kernels != models::ProductKernels::plain) {
    weights.kernels = widening(weights.kernels);
  }
}

void choose_collectives(ServingPlan& plan) {
  const Layout& layout = plan.question.layout;
  const auto chosen = [&](hardware::Collective collective, int ranks) {
    return collective_on(plan.question.calibration, plan.question.node.host, collective, ranks,
                         plan.question.engine.profile.id);
  };
  if (layout.tensor_parallel > 1) {
    plan.all_reduce = chosen(hardware::Collective::all_reduce, layout.tensor_parallel);
    plan.all_gather = chosen(hardware::Collective::all_gather, layout.tensor_parallel);
  }
  if (layout.pipeline_parallel > 1) {
    plan.send_recv =
        chosen(hardware::Collective::send_recv, layout.tensor_parallel * layout.pipeline_parallel);
  }
}

}  // namespace

perf::StepCostInputs ServingPlan::step_cost_inputs(std::optional<models::Stage> stage) const {
  perf::StepCostInputs inputs;
  inputs.stage = stage;
  inputs.send_recv = send_recv;
  inputs.model = &question.model;
  inputs.gpu = &question.node.gpu;
  inputs.calibration = &question.calibration;
  inputs.engine = &question.engine.profile;
  inputs.weights = question.engine.weights;
  inputs.kv_dtype = question.engine.kv_dtype;
  inputs.tensor_parallel = question.layout.tensor_parallel;
  inputs.expert_parallel = question.layout.expert_parallel;
  inputs.max_num_seqs = rules.max_num_seqs;
  inputs.max_num_batched_tokens = rules.max_num_batched_tokens;
  inputs.all_reduce = all_reduce;
  inputs.all_gather = all_gather;
  return inputs;
}

std::vector<perf::StepCost> ServingPlan::stage_costs() const {
  std::vector<perf::StepCost> costs;
  for (const auto& stage :
       models::pipeline_stages(question.model, question.layout.pipeline_parallel)) {
    costs.emplace_back(step_cost_inputs(stage));
  }
  return costs;
}

ServingPlan plan_serving(ServingQuestion question) {
  ServingPlan plan;
  plan.question = std::move(question);
  const Layout& layout = plan.question.layout;
  const int per_replica = layout.tensor_parallel * layout.pipeline_parallel;
  plan.replicas = layout.replicas.value_or(std::max(1, plan.question.node.count / per_replica));
  plan.rules = rules_for(plan.question);
  plan.reason = layout_problem(plan.question);
  if (!plan.reason.empty()) return plan;

  settle_arithmetic(plan);
  choose_collectives(plan);
  plan.footprint = perf::serving_footprint(memory_question(plan));
  plan.rules.block_tokens = plan.footprint.pool.block_tokens;
  plan.rules.kv_blocks = plan.footprint.kv_blocks;
  plan.rules.max_model_len = plan.footprint.max_model_len;
  plan.rules.watermark_blocks = static_cast<std::int64_t>(
      plan.question.engine.profile.watermark * static_cast<double>(plan.rules.kv_blocks));
  plan.feasible = plan.footprint.feasible;
  plan.reason = plan.footprint.reason;
  plan.notes.insert(plan.notes.end(), plan.footprint.notes.begin(), plan.footprint.notes.end());
  const auto origins = origin_notes(plan);
  plan.notes.insert(plan.notes.end(), origins.begin(), origins.end());
  const hardware::Host& host = plan.question.node.host;
  if (plan.question.node.count > host.max_gpus) {
    plan.notes.push_back(fmt::format("{} cards stand in several machines, {} holds {}",
                                     plan.question.node.count, host.id, host.max_gpus));
  }
  return plan;
}

}  // namespace gpucap::plan

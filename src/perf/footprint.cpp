#include "gpucap/perf/footprint.hpp"

#include <algorithm>
#include <cmath>

#include "activation_peak.hpp"
#include "kv_layout.hpp"
#include <fmt/format.h>

namespace gpucap::perf {
namespace {

/// Everything on one stage's ranks but the KV cache.
struct Load {
  models::Stage stage;
  Bytes weights, rotary, rounding, non_torch, graphs, context;
  ActivationPeak peak;
  KvPool layout;  ///< without blocks

  [[nodiscard]] Bytes tensors() const { return weights + rotary + rounding; }
  [[nodiscard]] Bytes working() const { return peak.total() + non_torch; }
  [[nodiscard]] Bytes total() const { return tensors() + working() + graphs + context; }
};

/// Name and size of the driver memory that applies: it grows with the buffers of collectives.
std::pair<std::string, Bytes> non_torch(const ServingMemoryQuestion& q) {
  const auto& memory = q.engine->memory;
  if (q.tensor_parallel * q.pipeline_parallel == 1) {
    return {"non_torch_single", memory.non_torch_single};
  }
  if (q.gpu->nvlink) return {"non_torch_parallel", memory.non_torch_parallel};
  return {"non_torch_pcie", memory.non_torch_pcie};
}

Load load_of(const ServingMemoryQuestion& q, const models::Stage& stage) {
  const auto& memory = q.engine->memory;
  Load load;
  load.stage = stage;
  load.weights = models::weight_bytes_on_stage(*q.model, q.weights, q.tensor_parallel, stage,
                                               q.expert_parallel) *
                 unit::byte;
  load.rotary = static_cast<double>(models::rotary_table_bytes(*q.model)) * unit::byte;
  load.rounding = allocator_rounding(*q.model, q.weights, q.tensor_parallel, stage);
  load.non_torch = non_torch(q).second;
  load.graphs = memory.graphs;
  load.context = memory.cuda_context;
  load.peak = activation_peak(q, stage);
  load.layout = kv_layout(q, stage);
  return load;
}

/// What the engine may use: its share of what a program sees of the card.
Bytes budget(const ServingMemoryQuestion& q) {
  return q.gpu->memory_visible * q.gpu_memory_utilization;
}

Bytes claimed(const ServingMemoryQuestion& q, const Load& load) {
  const auto graphs = q.engine->memory.graphs_inside_budget ? load.graphs : Bytes{};
  return load.tensors() + load.working() + graphs;
}

/// An encoder keeps nothing, so its blocks weigh nothing: as many as a full batch could name.
std::int64_t blocks_of_full_batch(const ServingMemoryQuestion& q, const KvPool& layout) {
  const auto longest = q.max_model_len.value_or(q.model->max_positions);
  return q.max_num_seqs * blocks_of_sequence(layout, longest) + 1;
}

std::int64_t predicted_blocks(const ServingMemoryQuestion& q, const Load& load) {
  const auto left = budget(q) - claimed(q, load);
  if (q.model->encoder) return left <= Bytes{} ? 0 : blocks_of_full_batch(q, load.layout);
  if (left <= Bytes{} || load.layout.bytes_per_block == 0) return 0;
  return static_cast<std::int64_t>(left.base() / static_cast<double>(load.layout.bytes_per_block));
}

std::int64_t blocks_on(const ServingMemoryQuestion& q, const Load& load) {
  const auto& layout = load.layout;
  if (q.kv_cache_tokens) {
    const auto per_group = (*q.kv_cache_tokens + layout.block_tokens - 1) / layout.block_tokens;
    return per_group * layout.groups();
  }
  if (q.kv_cache_memory && layout.bytes_per_block > 0) {
    return static_cast<std::int64_t>(q.kv_cache_memory->base()) / layout.bytes_per_block;
  }
  return predicted_blocks(q, load);
}

bool pool_is_given(const ServingMemoryQuestion& q) {
  return q.kv_cache_tokens || q.kv_cache_memory;
}

double gib(Bytes bytes) {
  return bytes.in(unit::GiB);
}

std::string context_problem(const ServingMemoryQuestion& q, const ServingFootprint& f) {
  if (q.max_model_len && *q.max_model_len > q.model->max_positions) {
    return fmt::format("max_model_len {} is beyond the {} tokens of the model", *q.max_model_len,
                       q.model->max_positions);
  }
  const auto fits = largest_context(f.pool, q.model->max_positions);
  if (fits == 0) return "the KV cache has no room for a single block";
  if (!q.max_model_len || *q.max_model_len <= fits) return "";
  const auto blocks = blocks_of_sequence(f.pool, *q.max_model_len);
  const auto needed = static_cast<double>(blocks * f.pool.bytes_per_block) * unit::byte;
  return fmt::format(
      "one request of max_model_len {} needs {:.2f} GiB of KV cache and {:.2f} GiB are left, "
      "enough for {} tokens",
      *q.max_model_len, gib(needed), gib(f.kv_cache), fits);
}

std::string budget_problem(const ServingMemoryQuestion& q, const Load& load) {
  if (pool_is_given(q)) return "";
  const auto may_use = gib(budget(q));
  if (load.tensors() > budget(q)) {
    return fmt::format("weights need {:.2f} GiB of {:.2f} GiB that the engine may use",
                       gib(load.tensors()), may_use);
  }
  if (predicted_blocks(q, load) > 1) return "";
  return fmt::format(
      "weights ({:.2f} GiB) with activations and overhead ({:.2f} GiB) leave no room for a KV "
      "cache in {:.2f} GiB that the engine may use",
      gib(load.tensors()), gib(claimed(q, load) - load.tensors()), may_use);
}

/// Graph pools vary; only what was always seen makes an answer "no".
Bytes least_graphs(const ServingMemoryQuestion& q) {
  const auto range = q.engine->intervals.find("memory.graphs");
  return range == q.engine->intervals.end() ? q.engine->memory.graphs
                                            : range->second.first * unit::byte;
}

std::string card_problem(const ServingMemoryQuestion& q, const Load& load,
                         const ServingFootprint& f) {
  const auto needed = load.total() - load.graphs + least_graphs(q) + f.kv_cache;
  if (needed <= q.gpu->memory_visible) return "";
  return fmt::format(
      "weights, KV cache, activations, graphs and CUDA context need {:.2f} GiB of the card's "
      "{:.2f} GiB",
      gib(needed), gib(q.gpu->memory_visible));
}

std::string state_problem(const ServingMemoryQuestion& q, const KvPool& pool) {
  const auto states = pool.state_groups * q.max_num_seqs;
  if (states == 0 || states < pool.blocks - 1) return "";
  return fmt::format(
      "max_num_seqs {} needs {} blocks for recurrent state and the pool has {}; lower it",
      q.max_num_seqs, states, pool.blocks);
}

std::string split_problem(const ServingMemoryQuestion& q) {
  if (auto p = models::tensor_parallel_problem(*q.model, q.weights, q.tensor_parallel,
                                               q.expert_parallel)) {
    return *p;
  }
  return models::pipeline_parallel_problem(*q.model, q.pipeline_parallel).value_or("");
}

void add_terms(ServingFootprint& f, const Load& load) {
  f.terms = {{"hidden_states", load.peak.hidden},
             {"logits_and_sampler", load.peak.logits_and_sampler},
             {"mlp", load.peak.mlp},
             {"moe_workspace", load.peak.moe_workspace},
             {"activation_floor", load.peak.floor},
             {"rotary_tables", load.rotary},
             {"allocator_rounding", load.rounding},
             {"non_torch", load.non_torch},
             {"cuda_graphs", load.graphs},
             {"cuda_context", load.context}};
  std::erase_if(f.terms, [](const auto& term) { return term.second == Bytes{}; });
}

void add_notes(ServingFootprint& f, const ServingMemoryQuestion& q) {
  for (const auto& field : q.engine->memory.assumed) {
    if (field.starts_with("non_torch") && field != non_torch(q).first) continue;
    f.notes.push_back(fmt::format("{}: {} is assumed, not logged", q.engine->id, field));
  }
  const auto visible = q.gpu->sources.find("memory_visible");
  if (visible != q.gpu->sources.end() && visible->second.kind == "assumed") {
    f.notes.push_back(
        fmt::format("visible memory of {} is assumed: {}", q.gpu->id, visible->second.source));
  }
  if (f.free < Bytes{} && f.feasible) {
    f.notes.push_back(
        fmt::format("CUDA graphs may not fit: {:.2f} GiB short; lower "
                    "gpu_memory_utilization",
                    -gib(f.free)));
  }
  if (f.pool.groups() > 1) {
    f.notes.push_back(
        "layers of several kinds share the pool; kv_blocks counts sequences as if "
        "window layers kept them whole");
  }
  if (f.feasible && f.max_model_len_cut) {
    f.notes.push_back(
        fmt::format("max_model_len is cut to {} tokens by the KV cache; the model "
                    "allows {}",
                    f.max_model_len, q.model->max_positions));
  }
}

void add_pool(ServingFootprint& f, const ServingMemoryQuestion& q, const Load& load) {
  f.pool = load.layout;
  f.pool.blocks = blocks_on(q, load);
  f.kv_cache = static_cast<double>(f.pool.blocks * f.pool.bytes_per_block) * unit::byte;
  f.kv_cache_tokens = f.pool.blocks / f.pool.groups() * f.pool.block_tokens;
  const auto growing = std::max<std::int64_t>(1, f.pool.full_groups + f.pool.window_groups);
  const auto states = f.pool.state_groups * q.max_num_seqs;
  f.kv_blocks = std::max<std::int64_t>(0, (f.pool.blocks - 1 - states) / growing);
}

void add_lengths(ServingFootprint& f, const ServingMemoryQuestion& q) {
  const auto fits = largest_context(f.pool, q.model->max_positions);
  f.max_model_len = q.max_model_len.value_or(fits);
  f.max_model_len_cut = !q.max_model_len && fits < q.model->max_positions;
  f.largest_concurrency =
      f.max_model_len == 0 ? 0
                           : std::min(q.max_num_seqs, largest_concurrency(f.pool, f.max_model_len));
}

/// The stage with the smallest pool rules all of them.
Load tightest(const ServingMemoryQuestion& q) {
  std::optional<Load> worst;
  for (const auto& stage : models::pipeline_stages(*q.model, q.pipeline_parallel)) {
    auto load = load_of(q, stage);
    const auto room = [&](const Load& l) {
      return static_cast<double>(predicted_blocks(q, l)) - claimed(q, l).in(unit::TiB);
    };
    if (!worst || room(load) < room(*worst)) worst = std::move(load);
  }
  return *worst;
}

std::string first_of(std::initializer_list<std::string> problems) {
  for (const auto& problem : problems) {
    if (!problem.empty()) return problem;
  }
  return "";
}

}  // namespace

ServingFootprint serving_footprint(const ServingMemoryQuestion& q) {
  ServingFootprint f;
  f.reason = split_problem(q);
  if (!f.reason.empty()) return f;
  const auto load = tightest(q);
  f.weights = load.weights;
  f.activations = load.peak.total();
  f.other = load.rotary + load.rounding + load.non_torch + load.graphs + load.context;
  f.kv_bytes_per_token = load.stage.attending * models::kv_bytes_per_token_and_layer(
                                                    *q.model, q.kv_dtype, q.tensor_parallel);
  add_terms(f, load);
  add_pool(f, q, load);
  add_lengths(f, q);
  f.free = q.gpu->memory_visible - f.weights - f.kv_cache - f.activations - f.other;
  f.reason = first_of({budget_problem(q, load), context_problem(q, f), state_problem(q, f.pool),
                       card_problem(q, load, f)});
  f.feasible = f.reason.empty();
  add_notes(f, q);
  return f;
}

}  // namespace gpucap::perf

#include "rank_parameters.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace gpucap::training {
namespace {

using Role = models::Gemm::Role;

/// One linear layer as model code names them: queries, keys and values apart.
struct Projection {
  Role role = Role::mlp;
  double in = 0, out = 0;
  double layers = 0;          ///< on the stage
  double copies = 1;          ///< experts on the rank
  double used = 1;            ///< of them by one token
  bool query_value = false;   ///< what papers mean by "adapters on q and v"
  bool shares_input = false;  ///< with the projection before it
};

double as_double(std::int64_t count) {
  return static_cast<double>(count);
}

std::vector<Projection> query_key_value(const models::Transformer& model, const models::Gemm& gemm,
                                        int tensor) {
  const double key = as_double(models::kv_heads_on_rank(model, tensor) * model.head_dim);
  const double in = as_double(gemm.k);
  const double layers = as_double(gemm.count);
  return {{Role::attention, in, as_double(gemm.n) - 2 * key, layers, 1, 1, true, false},
          {Role::attention, in, key, layers, 1, 1, false, true},
          {Role::attention, in, key, layers, 1, 1, true, true}};
}

// Gate and up are one product in perf and two linear layers in model code.
std::vector<Projection> gate_and_up(const models::Gemm& gemm) {
  const Projection half{
      Role::mlp, as_double(gemm.k), as_double(gemm.n) / 2, as_double(gemm.count), 1, 1, false,
      false};
  auto second = half;
  second.shares_input = true;
  return {half, second};
}

std::vector<Projection> projections_of(const models::Transformer& model, const models::Gemm& gemm,
                                       int tensor) {
  if (gemm.name == "qkv") return query_key_value(model, gemm, tensor);
  if (gemm.name == "gate_up" || gemm.name == "shared_gate_up") return gate_and_up(gemm);
  const bool query_value = gemm.name == "q" || gemm.name == "q_b" || gemm.name == "kv_b";
  return {{gemm.role, as_double(gemm.k), as_double(gemm.n), as_double(gemm.count), 1, 1,
           query_value, gemm.name == "kv_a"}};
}

std::vector<Projection> expert_projections(const models::Transformer& model,
                                           const models::Stage& stage, const Layout& layout) {
  const auto& experts = *model.experts;
  const double hidden = as_double(model.hidden);
  const double ffn = as_double((experts.ffn + layout.tensor - 1) / layout.tensor);
  Projection gate{Role::experts,
                  hidden,
                  ffn,
                  as_double(stage.sparse),
                  as_double(experts.routed / layout.expert),
                  as_double(experts.per_token),
                  false,
                  false};
  auto up = gate;
  up.shares_input = true;
  auto down = gate;
  std::swap(down.in, down.out);
  return {gate, up, down};
}

std::vector<Projection> projections(const models::Transformer& model, const models::Stage& stage,
                                    const Layout& layout) {
  std::vector<Projection> all;
  for (const auto& gemm : models::layer_gemms(model, stage, layout.tensor)) {
    if (!gemm.quantised) continue;  // routers and small gates get no adapters
    for (const auto& one : projections_of(model, gemm, layout.tensor)) all.push_back(one);
  }
  if (!model.experts) return all;
  for (const auto& one : expert_projections(model, stage, layout)) all.push_back(one);
  return all;
}

bool targeted(const Projection& projection, Adapters::Targets targets) {
  switch (targets) {
    case Adapters::Targets::query_value:
      return projection.query_value;
    case Adapters::Targets::attention:
      return projection.role == Role::attention;
    case Adapters::Targets::all_linear:
      return true;
  }
  return false;
}

double table_weights(const models::Transformer& model, const models::Stage& stage, int tensor) {
  const bool head = stage.last && !model.encoder && !(stage.first && model.tied_embeddings);
  const double tables = (stage.first ? 1 : 0) + (head ? 1 : 0);
  return tables * as_double((model.vocab + tensor - 1) / tensor) * as_double(model.hidden);
}

/// Everything on the stage's ranks, all experts.
double weights_on_stage(const models::Transformer& model, const models::Stage& stage, int tensor) {
  return models::weight_bytes_on_stage(model, models::WeightFormat{}, tensor, stage) / 2;
}

void add_projection(RankParameters& count, const Projection& one, const Adapters& adapters) {
  const double numbers = one.in * one.out * one.layers * one.copies;
  count.matrices += numbers;
  if (one.role == Role::experts) count.expert_matrices += numbers;
  count.largest_matrix = std::max(count.largest_matrix, one.in * one.out);
  if (!one.shares_input) count.quantised_inputs += one.in * one.layers * one.used;
  if (!targeted(one, adapters.targets)) return;
  const double beside = as_double(adapters.rank) * (one.in + one.out) * one.layers * one.copies;
  count.adapters += beside;
  if (one.role == Role::experts) count.expert_adapters += beside;
  count.adapter_inputs += one.in * one.layers * one.used;
}

}  // namespace

int shards(const Layout& layout) {
  return layout.data * layout.context;
}

double kept_share(double count, double experts, const Layout& layout) {
  if (count <= 0) return 1;
  return (count + experts * (layout.expert - 1)) / (count * shards(layout));
}

RankParameters rank_parameters(const models::Transformer& model, const models::Stage& stage,
                               const Layout& layout, const Adapters& adapters) {
  RankParameters count;
  double elsewhere = 0;
  if (model.experts) {
    const auto& experts = *model.experts;
    elsewhere = 3 * as_double(model.hidden * ((experts.ffn + layout.tensor - 1) / layout.tensor)) *
                as_double(stage.sparse * (experts.routed - experts.routed / layout.expert));
  }
  for (const auto& one : projections(model, stage, layout)) add_projection(count, one, adapters);
  count.tables = table_weights(model, stage, layout.tensor);
  count.other =
      weights_on_stage(model, stage, layout.tensor) - elsewhere - count.matrices - count.tables;
  if (adapters.embeddings) count.copied_tables = count.tables;
  const bool both = stage.first && stage.last && !model.encoder && !model.tied_embeddings;
  count.largest_tensor = std::max(count.largest_matrix, count.tables / (both ? 2 : 1));
  return count;
}

RankParameters all_parameters(const models::Transformer& model, const Adapters& adapters) {
  return rank_parameters(model, models::pipeline_stages(model, 1).front(), Layout{}, adapters);
}

}  // namespace gpucap::training

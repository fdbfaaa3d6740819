#include "adapter_targets.hpp"

namespace gpucap::training {
namespace {

using Role = models::Gemm::Role;

/// Joint projections are several matrices to an adapter.
void add_query_key_value(const models::Transformer& model, const models::Gemm& joint, int tensor,
                         bool keys, std::vector<AdapterTarget>& out) {
  const std::int64_t kv = models::kv_heads_on_rank(model, tensor) * model.head_dim;
  out.push_back({joint.k, joint.n - 2 * kv, joint.count});
  for (int i = 0; i < (keys ? 2 : 1); ++i) out.push_back({joint.k, kv, joint.count});
}

bool joint_gate(const models::Transformer& model, const models::Gemm& product) {
  return product.name == "shared_gate_up" || (product.name == "gate_up" && model.gated_mlp);
}

/// What "query and value" means where latents stand between.
bool query_or_value(const models::Gemm& product) {
  return product.name == "q" || product.name == "q_b" || product.name == "kv_b";
}

}  // namespace

std::vector<AdapterTarget> adapter_targets(const models::Transformer& model,
                                           const models::Stage& stage, int tensor,
                                           Adapters::Targets targets) {
  std::vector<AdapterTarget> out;
  for (const models::Gemm& product : models::layer_gemms(model, stage, tensor)) {
    if (product.role == Role::router) continue;
    const bool attention = product.role == Role::attention;
    if (!attention && targets != Adapters::Targets::all_linear) continue;
    if (product.name == "qkv") {
      add_query_key_value(model, product, tensor, targets != Adapters::Targets::query_value, out);
    } else if (joint_gate(model, product)) {
      out.push_back({product.k, product.n / 2, 2 * product.count});
    } else if (targets != Adapters::Targets::query_value || query_or_value(product)) {
      out.push_back({product.k, product.n, product.count});
    }
  }
  return out;
}

}  // namespace gpucap::training

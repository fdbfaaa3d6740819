#include "gpucap/models/transformer.hpp"

#include "matrices.hpp"

namespace gpucap::models {

std::vector<Gemm> layer_gemms(const Transformer& model, int tensor_parallel) {
  return layer_gemms(model, pipeline_stages(model, 1).front(), tensor_parallel);
}

std::vector<Gemm> layer_gemms(const Transformer& model, const Stage& stage, int tensor_parallel) {
  std::vector<Gemm> gemms;
  for (const auto& matrix : layer_matrices(model, tensor_parallel)) {
    const auto count = layers_in(stage, matrix.where);
    if (count == 0) continue;
    gemms.push_back({matrix.name, matrix.role, matrix.n, matrix.k, count, matrix.quantised});
  }
  return gemms;
}

Gemm head_gemm(const Transformer& model, int tensor_parallel) {
  return {"head", Gemm::Role::head, share(model.vocab, tensor_parallel), model.hidden, 1, false};
}

}  // namespace gpucap::models

#include "kv_layout.hpp"

#include <algorithm>
#include <array>

namespace gpucap::perf {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// Layers of each kind on a stage.
struct Kinds {
  std::int64_t full = 0, window = 0, state = 0;
};

Kinds kinds_of(const ServingMemoryQuestion& q, const models::Stage& stage) {
  const auto& model = *q.model;
  Kinds kinds;
  if (model.sliding_window && q.engine->window_layers_apart) {
    kinds.window = model.sliding_layers * stage.attending / models::attending_layers(model);
  }
  kinds.full = stage.attending - kinds.window;
  kinds.state = stage.recurrent;
  return kinds;
}

// Groups have the size of the rarest kind; of the commonest where that is less than 1.5 times it,
// because padding costs less than splitting then.
std::int64_t group_size(const Kinds& kinds) {
  std::int64_t smallest = 0, largest = 0;
  for (const auto count : std::array{kinds.full, kinds.window, kinds.state}) {
    if (count == 0) continue;
    smallest = smallest == 0 ? count : std::min(smallest, count);
    largest = std::max(largest, count);
  }
  return 2 * largest < 3 * smallest ? largest : smallest;
}

std::int64_t block_tokens(const ServingMemoryQuestion& q, std::int64_t bytes_per_token) {
  const auto& model = *q.model;
  const auto usual = model.latent ? q.engine->latent_block_tokens : q.engine->block_tokens;
  if (model.recurrent_layers == 0 || bytes_per_token == 0) return usual;
  // A block must hold the state of one layer, so hybrids get larger ones.
  const auto state =
      models::recurrent_state_bytes(model, q.tensor_parallel) / model.recurrent_layers;
  return usual * std::max<std::int64_t>(1, ceil_div(state, usual * bytes_per_token));
}

}  // namespace

KvPool kv_layout(const ServingMemoryQuestion& q, const models::Stage& stage) {
  const auto bytes_per_token =
      models::kv_bytes_per_token_and_layer(*q.model, q.kv_dtype, q.tensor_parallel);
  const auto kinds = kinds_of(q, stage);
  const auto size = group_size(kinds);
  KvPool pool;
  pool.block_tokens = block_tokens(q, bytes_per_token);
  pool.bytes_per_block = pool.block_tokens * bytes_per_token * size;
  pool.full_groups = ceil_div(kinds.full, size);
  pool.window_groups = ceil_div(kinds.window, size);
  pool.state_groups = ceil_div(kinds.state, size);
  pool.window_tokens = q.model->sliding_window.value_or(1) - 1 + q.max_num_batched_tokens;
  return pool;
}

}  // namespace gpucap::perf

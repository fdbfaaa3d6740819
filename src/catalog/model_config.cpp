#include "model_config.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpucap::catalog {

bool ModelConfig::given(std::string_view key) {
  const auto* value = keys.raw(key);
  return value != nullptr && !value->is_null();
}

ObjectReader* ModelConfig::holder(std::string_view key) {
  if (given(key)) return &keys;
  if (!outer) return nullptr;
  const auto* value = outer->raw(key);
  return value != nullptr && !value->is_null() ? &*outer : nullptr;
}

std::int64_t ModelConfig::required(std::string_view key) {
  const auto value = keys.required(key, keys.count(key));
  if (value > 0 || !keys.has(key)) return std::max<std::int64_t>(value, 1);
  if (keys.raw(key)->is_number()) problem(key, "must be above 0");
  return 1;
}

std::optional<std::int64_t> ModelConfig::count(std::string_view key) {
  return given(key) ? keys.count(key) : std::nullopt;
}

bool ModelConfig::flag(std::string_view key, bool otherwise) {
  return given(key) ? keys.flag(key).value_or(otherwise) : otherwise;
}

void ModelConfig::problem(std::string_view key, std::string message) {
  keys.problem(key, std::move(message), "model-config");
}

namespace {

void read_kv_heads(ModelConfig& c) {
  auto& m = c.model;
  m.kv_heads = m.heads;
  if (!c.given("num_key_value_heads")) {
    c.assume(fmt::format("num_key_value_heads is missing: {} taken, as many as heads", m.heads));
    return;
  }
  if (c.keys.raw("num_key_value_heads")->is_array()) {
    c.problem("num_key_value_heads",
              "KV heads that differ by layer are not modelled; one number for all layers is");
    return;
  }
  m.kv_heads = c.required("num_key_value_heads");
  if (m.heads % m.kv_heads != 0) {
    c.problem("num_key_value_heads",
              fmt::format("{} heads are no multiple of {} KV heads", m.heads, m.kv_heads));
  }
}

void read_head_dim(ModelConfig& c) {
  auto& m = c.model;
  if (c.given("head_dim")) {
    m.head_dim = c.required("head_dim");
    return;
  }
  m.head_dim = m.hidden / m.heads;
  if (c.given("kv_lora_rank")) return;  // the latent has sizes of its own
  if (m.hidden % m.heads != 0) {
    c.problem("hidden_size",
              fmt::format("{} cannot be divided by {} heads, and head_dim is missing", m.hidden,
                          m.heads));
  }
}

// Layers of one kind in `layer_types`; a word that is not `kind` nor full attention is a problem.
std::int64_t layers_of_kind(ModelConfig& c, const std::string& kind) {
  const auto words = c.keys.texts("layer_types");
  if (std::cmp_not_equal(words.size(), c.model.layers)) {
    c.problem("layer_types", fmt::format("{} entries for {} layers", words.size(), c.model.layers));
  }
  for (const auto& word : words) {
    if (word == kind || word == "full_attention") continue;
    c.problem("layer_types", fmt::format("layer type \"{}\" is not modelled for {}; known: "
                                         "full_attention, {}",
                                         word, c.model.architecture, kind));
    return 0;
  }
  return std::count(words.begin(), words.end(), kind);
}

// YaRN stretches the positions that the weights were trained on; engines serve the product.
void stretch_positions(ModelConfig& c, ObjectReader& rope) {
  const auto* const key = rope.has("rope_type") ? "rope_type" : "type";
  const auto factor = rope.number("factor");
  if (rope.text(key) != "yarn" || !factor) return;
  const auto trained =
      rope.count("original_max_position_embeddings").value_or(c.model.max_positions);
  const auto stretched = static_cast<std::int64_t>(*factor * static_cast<double>(trained));
  c.model.max_positions = std::max(c.model.max_positions, stretched);
}

// The rotated share of a head, where the file gives one, else 1.
double rotated_share(ModelConfig& c) {
  double share = 1;
  for (const auto* key : {"rope_scaling", "rope_parameters"}) {
    auto rope = c.given(key) ? c.keys.object(key) : std::nullopt;
    if (!rope) continue;
    stretch_positions(c, *rope);
    share = rope->number("partial_rotary_factor").value_or(share);
  }
  if (c.given("partial_rotary_factor")) {
    share = c.keys.number("partial_rotary_factor").value_or(share);
  }
  return share;
}

void read_rotary(ModelConfig& c) {
  const auto share = rotated_share(c);
  if (share <= 0 || share > 1) {
    c.problem("partial_rotary_factor", "must be above 0 and at most 1");
  } else if (share < 1) {
    c.model.rotary_dim = static_cast<std::int64_t>(share * static_cast<double>(c.model.head_dim));
  }
}

}  // namespace

void read_dtype(ModelConfig& c) {
  for (const auto* key : {"dtype", "torch_dtype"}) {
    auto* const place = c.holder(key);
    if (place == nullptr) continue;
    const auto word = place->text(key);
    if (!word) return;
    const auto dtype = parse_dtype(*word);
    if (dtype && bits(*dtype) >= 16) {
      c.model.dtype = *dtype;
    } else {
      place->problem(key,
                     fmt::format("unknown dtype \"{}\"; known: bfloat16, float16, float32", *word),
                     "unknown-name");
    }
    return;
  }
  c.assume("torch_dtype is missing: bfloat16 taken");
}

void read_tying(ModelConfig& c, bool by_default) {
  auto* const place = c.holder("tie_word_embeddings");
  if (place != nullptr) {
    c.model.tied_embeddings = place->flag("tie_word_embeddings").value_or(by_default);
    return;
  }
  c.model.tied_embeddings = by_default;
  c.assume(fmt::format("tie_word_embeddings is missing: {} taken, the architecture's default",
                       by_default));
}

void read_decoder(ModelConfig& c, bool tied_by_default) {
  auto& m = c.model;
  m.layers = c.required("num_hidden_layers");
  m.hidden = c.required("hidden_size");
  m.heads = c.required("num_attention_heads");
  // Some models with experts in each layer name no other width.
  const bool experts_only = m.experts && !c.given("intermediate_size");
  m.ffn = experts_only ? m.experts->ffn : c.required("intermediate_size");
  m.vocab = c.required("vocab_size");
  m.max_positions = c.required("max_position_embeddings");
  read_kv_heads(c);
  read_head_dim(c);
  read_dtype(c);
  read_tying(c, tied_by_default);
  read_rotary(c);
}

void read_window(ModelConfig& c, std::int64_t window_layers) {
  auto& m = c.model;
  const auto window = c.count("sliding_window");
  auto layers = window ? window_layers : 0;
  if (c.given("layer_types")) layers = layers_of_kind(c, "sliding_attention");
  if (layers == 0) return;
  if (!window || *window < 1) {
    c.problem("sliding_window", "must be above 0: layers with a window need its length in tokens");
    return;
  }
  m.sliding_window = window;
  m.sliding_layers = layers;
}

void refuse_bias(ModelConfig& c) {
  for (const auto* key : {"attention_bias", "mlp_bias"}) {
    if (c.flag(key, false)) {
      c.problem(key, fmt::format("biases in {} are not modelled", c.model.architecture));
    }
  }
}

}  // namespace gpucap::catalog

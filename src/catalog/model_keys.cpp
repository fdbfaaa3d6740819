#include "gpucap/core/nearest_name.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "model_config.hpp"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpucap::catalog {
namespace {

// Keys that config.json files carry and that change neither a shape nor a size here.
constexpr auto harmless = std::to_array<std::string_view>({
    "_attn_implementation",
    "_name_or_path",
    "activation_function",
    "add_cross_attention",
    "attention_dropout",
    "attn_pdrop",
    "auto_map",
    "aux_loss_alpha",
    "bad_words_ids",
    "bos_token_id",
    "chunk_size_feed_forward",
    "embd_pdrop",
    "encoder_no_repeat_ngram_size",
    "eos_token_id",
    "ep_size",
    "head_type",
    "hidden_act",
    "hidden_dropout",
    "id2label",
    "image_token_id",
    "initializer_range",
    "is_decoder",
    "is_encoder_decoder",
    "label2id",
    "language_model_only",
    "layer_norm_eps",
    "layer_norm_epsilon",
    "max_length",
    "model_type",
    "moe_router_dtype",
    "mtp_use_dedicated_embeddings",
    "n_ctx",
    "n_group",
    "no_repeat_ngram_size",
    "norm_topk_prob",
    "num_beam_groups",
    "num_beams",
    "num_labels",
    "num_return_sequences",
    "original_max_position_embeddings",
    "output_attentions",
    "output_gate_type",
    "output_hidden_states",
    "output_router_logits",
    "pad_token_id",
    "pretraining_tp",
    "resid_pdrop",
    "rms_norm_eps",
    "rope_interleave",
    "rope_theta",
    "routed_scaling_factor",
    "router_aux_loss_coef",
    "router_jitter_noise",
    "scoring_func",
    "seq_aux",
    "sep_token_id",
    "task_specific_params",
    "tie_encoder_decoder",
    "tie_word_embeddings",
    "topk_group",
    "torch_dtype",
    "transformers.js_config",
    "transformers_version",
    "unsloth_fixed",
    "unsloth_version",
    "use_cache",
    "use_mrope",
    "video_token_id",
    "vision_config",
    "vision_end_token_id",
    "vision_start_token_id",
});

// Parts of names that shapes are made of: an unread key with one of them may change a size.
constexpr auto shape_words = std::to_array<std::string_view>(
    {"num_",   "n_",   "_size",  "_dim", "_rank", "expert",   "layer", "head", "window", "moe",
     "hidden", "embd", "_inner", "lora", "quant", "position", "bias",  "tie_", "sparse", "index"});

bool says_nothing(const nlohmann::json& value) {
  return value.is_null() || value == false || value == 0 ||
         (value.is_structured() && value.empty());
}

bool may_change_a_shape(std::string_view key) {
  return std::any_of(shape_words.begin(), shape_words.end(), [&](std::string_view word) {
    return key.find(word) != std::string_view::npos;
  });
}

void settle(ModelConfig& config, ObjectReader& reader) {
  for (const auto& key : reader.keys()) {
    if (reader.asked(key) || key == "notes" || key == "$schema") continue;
    const bool idle = says_nothing(*reader.raw(key));
    if (idle || std::find(harmless.begin(), harmless.end(), key) != harmless.end()) continue;
    if (may_change_a_shape(key)) {
      reader.problem(key,
                     fmt::format("\"{}\" may change the model's shape, and a {} is not known to "
                                 "have it",
                                 key, config.model.architecture),
                     "unknown-key");
    } else {
      config.assume(fmt::format("\"{}\" is not read", key));
    }
  }
}

}  // namespace

void settle_unread_keys(ModelConfig& config) {
  settle(config, config.keys);
  if (config.outer) settle(config, *config.outer);
}

}  // namespace gpucap::catalog

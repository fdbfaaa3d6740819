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
    "apply_residual_connection_post_layernorm",
    "attention_dropout",
    "attention_softmax_in_fp32",
    "attn_logit_softcapping",
    "attn_pdrop",
    "attn_scale",
    "attn_temperature_tuning",
    "auto_map",
    "aux_loss_alpha",
    "bad_words_ids",
    "boi_token_index",
    "bos_token_id",
    "cache_implementation",
    "chunk_size_feed_forward",
    "classifier_dropout",
    "embd_pdrop",
    "encoder_no_repeat_ngram_size",
    "eoi_token_index",
    "eos_token_id",
    "ep_size",
    "final_logit_softcapping",
    "floor_scale",
    "for_llm_compressor",
    "gradient_checkpointing",
    "head_type",
    "hidden_act",
    "hidden_activation",
    "hidden_dropout",
    "id2label",
    "image_token_id",
    "image_token_index",
    "initial_context_length",
    "initializer_range",
    "is_decoder",
    "is_encoder_decoder",
    "label2id",
    "language_model_only",
    "layer_norm_eps",
    "layer_norm_epsilon",
    "max_length",
    "model_type",
    "moe_layers",
    "moe_router_dtype",
    "mtp_use_dedicated_embeddings",
    "n_ctx",
    "n_group",
    "no_repeat_ngram_size",
    "no_rope_layer_interval",
    "no_rope_layers",
    "norm_topk_prob",
    "num_beam_groups",
    "num_beams",
    "num_labels",
    "num_return_sequences",
    "offset_alibi",
    "original_max_position_embeddings",
    "output_attentions",
    "output_gate_type",
    "output_hidden_states",
    "output_router_logits",
    "pad_token_id",
    "position_embedding_type",
    "pretraining_tp",
    "query_pre_attn_scalar",
    "resid_pdrop",
    "rms_norm_eps",
    "rope_interleave",
    "rope_theta",
    "routed_scaling_factor",
    "router_aux_loss_coef",
    "router_jitter_noise",
    "scoring_func",
    "sep_token_id",
    "seq_aux",
    "slow_but_exact",
    "swiglu_limit",
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
    "use_qk_norm",
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

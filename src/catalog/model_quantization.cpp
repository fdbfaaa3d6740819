#include <algorithm>
#include <array>
#include <string_view>

#include "model_config.hpp"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpucap::catalog {
namespace {
using models::WeightFormat;
using MaybeFormat = std::optional<WeightFormat>;

MaybeFormat not_modelled(ObjectReader& q, std::string_view key, std::string_view what) {
  q.problem(key, fmt::format("{} is not modelled", what), "model-config");
  return std::nullopt;
}

// Names differ between the libraries that write the files.
std::optional<std::int64_t> either(ObjectReader& q, const char* key, const char* older) {
  if (q.has(key)) return q.count(key);
  return q.has(older) ? q.count(older) : std::nullopt;
}

MaybeFormat read_fp8(ModelConfig& c, ObjectReader& q) {
  const auto sides = q.has("weight_block_size") && !q.raw("weight_block_size")->is_null()
                         ? q.numbers("weight_block_size")
                         : std::vector<double>{};
  if (sides.empty()) return models::weight_format(c.model, "fp8");
  if (sides.size() != 2 || sides[0] != sides[1] || sides[0] < 1) {
    return not_modelled(q, "weight_block_size", "a block that is no square");
  }
  return models::fp8_block_format(static_cast<std::int64_t>(sides[0]));
}

// A group of -1 means one scale per output column.
MaybeFormat grouped(ModelConfig& c, ObjectReader& q, const std::string& method, std::int64_t bits,
                    std::int64_t group, bool zero_points) {
  if (bits != 4 && bits != 8) return not_modelled(q, "bits", fmt::format("{} bits", bits));
  if (group == 0 || group < -1) {
    return not_modelled(q, "group_size", fmt::format("a group of {}", group));
  }
  const auto name = fmt::format("int{}-{}", bits, method);
  return models::grouped_format(name, static_cast<int>(bits), group == -1 ? c.model.hidden : group,
                                zero_points, c.model.dtype);
}

MaybeFormat read_awq(ModelConfig& c, ObjectReader& q) {
  const auto group = either(q, "group_size", "q_group_size").value_or(128);
  return grouped(c, q, "awq", either(q, "bits", "w_bit").value_or(4), group,
                 q.flag("zero_point").value_or(true));
}

MaybeFormat read_gptq(ModelConfig& c, ObjectReader& q) {
  const auto bits = q.required("bits", q.count("bits"));
  return grouped(c, q, "gptq", bits, q.count("group_size").value_or(128), true);
}

MaybeFormat read_bitsandbytes(ModelConfig& c, ObjectReader& q) {
  if (q.flag("load_in_8bit").value_or(false)) return models::weight_format(c.model, "int8");
  auto format = models::weight_format(c.model, "nf4");
  if (!q.flag("bnb_4bit_use_double_quant").value_or(false)) {
    format->scale_bytes_per_weight = 4.0 / 64;  // one fp32 scale per block of 64
  }
  return format;
}

MaybeFormat read_modelopt(ModelConfig& c, ObjectReader& q) {
  const auto algorithm = q.text("quant_algo");
  if (algorithm == "FP8") return models::weight_format(c.model, "fp8");
  return not_modelled(q, "quant_algo", algorithm.value_or("a missing quant_algo"));
}

MaybeFormat read_compressed_group(ModelConfig& c, ObjectReader& group) {
  auto weights = group.object("weights");
  if (!weights) return not_modelled(group, "weights", "a group without weights");
  const auto bits = weights->required("num_bits", weights->count("num_bits"));
  const auto type = weights->text("type").value_or("int");
  const bool activations =
      group.has("input_activations") && !group.raw("input_activations")->is_null();
  if (type == "float" && bits == 8) {
    if (weights->text("strategy") == "block") return models::fp8_block_format(128);
    return models::weight_format(c.model, "fp8");
  }
  if (type == "int" && bits == 8) {
    return models::weight_format(c.model, activations ? "int8-w8a8" : "int8");
  }
  if (type != "int" || activations) {
    return not_modelled(*weights, "type", fmt::format("{} of {} bits", type, bits));
  }
  const bool grouped_scales = weights->has("group_size") && !weights->raw("group_size")->is_null();
  const auto size = grouped_scales ? weights->count("group_size").value_or(128) : -1;
  return grouped(c, *weights, "group", bits, size, !weights->flag("symmetric").value_or(true));
}

MaybeFormat read_compressed_tensors(ModelConfig& c, ObjectReader& q) {
  auto groups = q.object("config_groups");
  if (!groups || groups->keys().size() != 1) {
    return not_modelled(q, "config_groups", "anything but one group of weights");
  }
  auto group = groups->object(groups->keys().front());
  return group ? read_compressed_group(c, *group) : std::nullopt;
}

// Layers left out of the quantisation beyond those that never take part are not followed.
void note_exceptions(ModelConfig& c, ObjectReader& q) {
  for (const auto* key :
       {"modules_to_not_convert", "ignore", "ignored_layers", "exclude_modules"}) {
    if (!q.has(key) || !q.raw(key)->is_array()) continue;
    for (const auto& layer : q.texts(key)) {
      const bool usual = layer.find("norm") != std::string::npos ||
                         layer.find("head") != std::string::npos ||
                         layer.find("embed") != std::string::npos || layer.ends_with("gate");
      if (usual) continue;
      c.assume(
          fmt::format("quantization_config keeps \"{}\" and maybe more in full precision: "
                      "counted as quantised",
                      layer));
      return;
    }
  }
}

struct Method {
  std::string_view name;
  MaybeFormat (*read)(ModelConfig&, ObjectReader&);
};

constexpr std::array<Method, 8> methods = {{
    {"fp8", read_fp8},
    {"awq", read_awq},
    {"gptq", read_gptq},
    {"bitsandbytes", read_bitsandbytes},
    {"compressed-tensors", read_compressed_tensors},
    {"modelopt", read_modelopt},
    {"mxfp4", [](ModelConfig& c, ObjectReader&) { return weight_format(c.model, "mxfp4"); }},
    {"fbgemm_fp8", [](ModelConfig& c, ObjectReader&) { return weight_format(c.model, "fp8"); }},
}};

// ModelOpt writes files without `quant_method`, but with its own `quant_algo`.
const Method* method_of(ObjectReader& settings) {
  std::vector<std::pair<std::string, const Method*>> words;
  for (const auto& method : methods) {
    if (method.read == read_modelopt && !settings.has("quant_method") &&
        settings.has("quant_algo")) {
      return &method;
    }
    words.emplace_back(method.name, &method);
  }
  return settings.required("quant_method",
                           settings.choice("quant_method", "quantisation method", words));
}

}  // namespace

void read_quantization(ModelConfig& config) {
  auto* const place = config.holder("quantization_config");
  if (place == nullptr) return;
  auto settings = place->object("quantization_config");
  if (!settings) return;
  const auto* const method = method_of(*settings);
  if (method == nullptr) return;
  config.model.quantization = method->read(config, *settings);
  const auto& format = config.model.quantization;
  if (!format || !format->experts_only) note_exceptions(config, *settings);
}

}  // namespace gpucap::catalog

#include "gpucap/catalog/models.hpp"

#include "gpucap/catalog/conv_nets.hpp"
#include "gpucap/catalog/data_dir.hpp"
#include "gpucap/cli/catalog_commands.hpp"
#include "gpucap/cli/format.hpp"

#include <map>
#include <string>

#include <fmt/format.h>

namespace gpucap::cli {
namespace {

using models::Transformer;
using report::Cell;
using report::Listing;
using report::Shown;

double billions(std::int64_t weights) {
  return static_cast<double>(weights) * 1e-9;
}

/// Of the checkpoint as published, on one card.
Cell weights_gib(const Transformer& model) {
  const auto format = models::weight_format(model, "auto");
  if (!format) return {};
  return Bytes::from_base(models::weight_bytes(model, *format, 1, 1)).in(unit::GiB);
}

std::string stored_as(const Transformer& model) {
  return model.quantization ? model.quantization->name : std::string(name(model.dtype));
}

/// Of one whole sequence, or one image: products and, of encoders, attention.
double gflop_per_pass(const Transformer& model) {
  const auto tokens = static_cast<double>(model.max_positions);
  const auto pairs = tokens * tokens * static_cast<double>(model.layers * model.heads);
  return (2 * tokens * static_cast<double>(models::matmul_parameters(model)) +
          4 * pairs * static_cast<double>(model.head_dim)) *
         1e-9;
}

double conv_net_gib(const models::ConvNet& net) {
  constexpr double bytes_per_weight = 2;
  return Bytes::from_base(bytes_per_weight * static_cast<double>(models::parameters(net)))
      .in(unit::GiB);
}

Listing listed(const catalog::ModelBook& book,
               const std::map<std::string, models::ConvNet>& conv_nets) {
  Listing listing{{{"model", "MODEL"},
                   {"parameters_billion", "PARAMETERS 1e9", Shown::plain},
                   {"active_parameters_billion", "ACTIVE 1e9", Shown::plain, 2},
                   {"layers", "LAYERS", Shown::count, 3},
                   {"weight_format", "FORMAT"},
                   {"weights_gib", "WEIGHTS GiB", Shown::plain},
                   {"kv_bytes_per_token", "KV B/TOKEN", Shown::count},
                   {"max_positions", "CONTEXT", Shown::count, 1}},
                  {}};
  for (const std::string& id : book.ids()) {
    const Transformer model = book.find(id);
    listing.rows.push_back(
        {id, billions(models::parameters(model)), billions(models::active_parameters(model)),
         model.layers, stored_as(model), weights_gib(model),
         models::kv_bytes_per_token(model, model.dtype, 1), model.max_positions});
  }
  for (const auto& [id, net] : conv_nets) {
    const double parameters = billions(models::parameters(net));
    listing.rows.push_back({id, parameters, parameters, Cell{}, std::string("fp16"),
                            conv_net_gib(net), Cell{}, Cell{}});
  }
  return listing;
}

void add_experts(Listing& sheet, const models::Experts& experts) {
  sheet.rows.push_back({"experts_routed", experts.routed});
  sheet.rows.push_back({"experts_per_token", experts.per_token});
  sheet.rows.push_back({"experts_shared", experts.shared});
  sheet.rows.push_back({"expert_ffn", experts.ffn});
  sheet.rows.push_back({"dense_layers", experts.dense_layers});
}

void add_latent(Listing& sheet, const models::LatentAttention& latent) {
  sheet.rows.push_back({"latent_q_lora", latent.q_lora});
  sheet.rows.push_back({"latent_kv_lora", latent.kv_lora});
  sheet.rows.push_back({"latent_qk_nope", latent.qk_nope});
  sheet.rows.push_back({"latent_qk_rope", latent.qk_rope});
  sheet.rows.push_back({"latent_v_head", latent.v_head});
}

void add_special_layers(Listing& sheet, const Transformer& model) {
  if (model.experts) add_experts(sheet, *model.experts);
  if (model.latent) add_latent(sheet, *model.latent);
  if (model.sliding_window) {
    sheet.rows.push_back({"sliding_window_tokens", *model.sliding_window});
    sheet.rows.push_back({"sliding_layers", model.sliding_layers});
  }
  if (model.encoder) {
    sheet.rows.push_back({"encoder", report::flag_cell(true)});
    sheet.rows.push_back({"gflop_per_longest_sequence", gflop_per_pass(model)});
  }
  if (model.recurrent_layers > 0) {
    sheet.rows.push_back({"recurrent_layers", model.recurrent_layers});
    sheet.rows.push_back({"recurrent_state_bytes", model.recurrent_state_bytes});
  }
}

void add_sizes(Listing& sheet, const Transformer& model) {
  const auto& published = model.published_parameters;
  sheet.rows.push_back({"parameters", models::parameters(model)});
  sheet.rows.push_back({"parameters_published", published ? Cell{*published} : Cell{}});
  sheet.rows.push_back({"active_parameters", models::active_parameters(model)});
  sheet.rows.push_back({"weight_format", stored_as(model)});
  sheet.rows.push_back({"weights_gib", weights_gib(model)});
  sheet.rows.push_back({"kv_bytes_per_token", models::kv_bytes_per_token(model, model.dtype, 1)});
}

/// Everything that was understood, and what was taken for granted.
Listing sheet_of(const Transformer& model) {
  Listing sheet{{{"field", "FIELD"}, {"value", "VALUE", Shown::exact}},
                {{"model", report::text_cell(model.id)},
                 {"architecture", model.architecture},
                 {"layers", model.layers},
                 {"hidden", model.hidden},
                 {"ffn", model.ffn},
                 {"heads", model.heads},
                 {"kv_heads", model.kv_heads},
                 {"head_dim", model.head_dim},
                 {"vocab", model.vocab},
                 {"max_positions", model.max_positions},
                 {"dtype", std::string(name(model.dtype))},
                 {"tied_embeddings", report::flag_cell(model.tied_embeddings)}}};
  add_special_layers(sheet, model);
  add_sizes(sheet, model);
  sheet.rows.push_back({"source", report::text_cell(model.source)});
  for (std::size_t i = 0; i < model.assumed.size(); ++i) {
    sheet.rows.push_back({fmt::format("assumed_{}", i + 1), model.assumed[i]});
  }
  return sheet;
}

Listing sheet_of(const models::ConvNet& net) {
  return {{{"field", "FIELD"}, {"value", "VALUE", Shown::exact}},
          {{"model", report::text_cell(net.id)},
           {"architecture", std::string("convolution")},
           {"image_height", net.image_height},
           {"image_width", net.image_width},
           {"parameters", models::parameters(net)},
           {"parameters_published", net.published_parameters},
           {"gflop_per_image", models::flops_per_image(net) * 1e-9},
           {"activations_per_image", models::activations_per_image(net)},
           {"weights_gib", conv_net_gib(net)},
           {"source", report::text_cell(net.source)}}};
}

Exit run_list(Arguments& arguments, Console& console) {
  const Format format = format_of(arguments);
  arguments.throw_if_problems();
  const auto data = catalog::data_directory();
  print_rows(listed(catalog::load_models(data), catalog::load_conv_nets(data)), format, console);
  console.note("Weights and KV cache on one card, as the checkpoint stores them.");
  return Exit::done;
}

Exit run_show(Arguments& arguments, Console& console) {
  const Format format = format_of(arguments);
  arguments.throw_if_problems();
  const auto data = catalog::data_directory();
  const std::string& id = arguments.operands().front();
  const auto conv_nets = catalog::load_conv_nets(data);
  if (const auto net = conv_nets.find(id); net != conv_nets.end()) {
    print_cells(sheet_of(net->second), format, console);
    return Exit::done;
  }
  print_cells(sheet_of(catalog::load_models(data).find(id)), format, console);
  return Exit::done;
}

Exit run_import(Arguments& arguments, Console& console) {
  const Format format = format_of(arguments);
  arguments.throw_if_problems();
  print_cells(sheet_of(catalog::import_config(arguments.operands().front())), format, console);
  return Exit::done;
}

}  // namespace

Command models_list() {
  return {"models list", "the models that are known", {"gpucap models list"}, {}, {format_option()},
          run_list};
}

Command models_show() {
  return {"models show",
          "shapes and sizes of one model",
          {"gpucap models show llama-3.1-8b"},
          {{"MODEL"}},
          {format_option()},
          run_show};
}

Command models_import() {
  return {"models import",
          "what is understood of a Hugging Face config.json",
          {"gpucap models import my-model/config.json"},
          {{"config.json"}},
          {format_option()},
          run_import};
}

}  // namespace gpucap::cli

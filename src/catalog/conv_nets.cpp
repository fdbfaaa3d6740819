#include "gpucap/catalog/conv_nets.hpp"

#include "gpucap/catalog/json_document.hpp"
#include "gpucap/catalog/json_folder.hpp"

#include <fmt/format.h>

namespace gpucap::catalog {
namespace {

/// "kernel": [height, width]; absent: 1 x 1.
void read_pair(ObjectReader& layer, std::string_view key, std::int64_t& height,
               std::int64_t& width) {
  if (!layer.has(key)) return;
  const auto sides = layer.numbers(key);
  const bool whole = sides.size() == 2 && sides[0] >= 1 && sides[1] >= 1;
  if (!whole) {
    layer.problem(key, "must be two sizes, height and width", "wrong-size");
    return;
  }
  height = static_cast<std::int64_t>(sides[0]);
  width = static_cast<std::int64_t>(sides[1]);
}

std::int64_t channels(ObjectReader& layer, std::string_view key) {
  const auto count = layer.count(key);
  if (count && *count < 1) layer.problem(key, "must be above zero", "out-of-range");
  return layer.required(key, count);
}

models::Convolution read_layer(ObjectReader layer) {
  models::Convolution one;
  one.name = layer.required("name", layer.text("name"));
  one.in = channels(layer, "in");
  one.out = channels(layer, "out");
  read_pair(layer, "kernel", one.kernel_height, one.kernel_width);
  read_pair(layer, "input", one.input_height, one.input_width);
  read_pair(layer, "output", one.output_height, one.output_width);
  one.count = layer.count("count").value_or(1);
  one.norm = layer.flag("norm").value_or(true);
  one.bias = layer.flag("bias").value_or(false);
  one.activation = layer.flag("activation").value_or(true);
  layer.finish();
  return one;
}

models::Join read_join(ObjectReader join) {
  using Kind = models::Join::Kind;
  models::Join one;
  one.name = join.required("name", join.text("name"));
  one.kind = join.required("kind", join.choice<Kind>("kind", "kind of join",
                                                     {{"max_pool", Kind::max_pool},
                                                      {"average_pool", Kind::average_pool},
                                                      {"sum", Kind::sum},
                                                      {"concatenation", Kind::concatenation}}));
  one.channels = channels(join, "channels");
  read_pair(join, "output", one.output_height, one.output_width);
  one.input_height = one.output_height;
  one.input_width = one.output_width;
  read_pair(join, "input", one.input_height, one.input_width);
  one.count = join.count("count").value_or(1);
  one.activation = join.flag("activation").value_or(false);
  join.finish();
  return one;
}

models::ConvNet read_net(const std::filesystem::path& file) {
  auto document = JsonDocument::read(file.string());
  ObjectReader root(document);
  models::ConvNet net;
  net.id = file.stem().string();
  net.source = root.required("source", root.text("source"));
  read_pair(root, "image", net.image_height, net.image_width);
  net.published_parameters =
      root.required("published_parameters", root.count("published_parameters"));
  for (ObjectReader& layer : root.objects("layers")) {
    net.layers.push_back(read_layer(std::move(layer)));
  }
  for (ObjectReader& join : root.objects("joins")) {
    net.joins.push_back(read_join(std::move(join)));
  }
  root.finish();
  document.throw_if_problems();
  if (const auto counted = models::parameters(net); counted != net.published_parameters) {
    root.problem("published_parameters", fmt::format("the layers hold {} parameters", counted),
                 "contradiction");
  }
  document.throw_if_problems();
  return net;
}

}  // namespace

std::map<std::string, models::ConvNet> load_conv_nets(const std::filesystem::path& data_dir) {
  std::map<std::string, models::ConvNet> nets;
  for (const auto& file : json_files(data_dir / "scenarios" / "convnets")) {
    auto net = read_net(file);
    nets.emplace(net.id, std::move(net));
  }
  return nets;
}

}  // namespace gpucap::catalog

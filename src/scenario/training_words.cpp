#include "training_words.hpp"

namespace gpucap::scenario {
namespace {

const char* suiting(const training::Network& network, const training::Settings& settings) {
  if (std::holds_alternative<models::ConvNet>(network)) return "dl-examples";
  if (std::get<models::Transformer>(network).encoder) return "dl-examples";
  return settings.method == training::Method::full ? "framework" : "huggingface";
}

}  // namespace

std::optional<training::Network> read_network(ObjectReader& object, const Reading& reading) {
  if (const auto id = object.text("model")) {
    const auto& nets = reading.library.conv_nets();
    if (const auto net = nets.find(*id); net != nets.end()) return net->second;
  }
  auto model = read_model(object, "model", reading);
  if (model) return training::Network(std::move(*model));
  return std::nullopt;
}

training::Software read_software_class(ObjectReader& object, Library& library,
                                       const training::Network& network,
                                       const training::Settings& settings,
                                       std::optional<std::string> otherwise) {
  if (const auto id = object.text("software")) otherwise = id;
  const std::string id = otherwise.value_or(suiting(network, settings));
  if (const auto* found = library.software().find(id)) return *found;
  object.problem("software", library.software().unknown(id), "unknown-name");
  return {};
}

}  // namespace gpucap::scenario

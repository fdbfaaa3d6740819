#include "gpucap/training/conv_net.hpp"

#include <algorithm>

#include "rank_parameters.hpp"
#include "states.hpp"
#include "verdict.hpp"

namespace gpucap::training {
namespace {

RankParameters parameters_of(const models::ConvNet& net) {
  RankParameters count;
  count.other = static_cast<double>(models::parameters(net));
  for (const auto& layer : net.layers) {
    count.largest_tensor = std::max(
        count.largest_tensor, static_cast<double>(layer.out * models::inputs_per_output(layer)));
  }
  return count;
}

/// What the passes hold for the images of a micro-batch.
struct ImageBytes {
  Bytes kept, gradients, loaded;

  [[nodiscard]] Bytes sum() const { return kept + gradients + loaded; }
};

ImageBytes image_bytes(const Question& question, const models::ConvNet& net) {
  constexpr double loaded_batches = 2;  // the one in work and the next
  constexpr double loaded_bytes = 4;    // images come in fp32
  const double width = bits(question.settings.arithmetic) / 8.0;
  const auto images = static_cast<double>(question.settings.micro_batch);
  const SavedPerImage saved = saved_per_image(net);
  const double channels = net.layers.empty() ? 0 : static_cast<double>(net.layers.front().in);
  const double pixels = channels * static_cast<double>(net.image_height * net.image_width);
  ImageBytes bytes;
  bytes.kept = images * (saved.numbers * width * unit::byte + saved.indices);
  bytes.gradients = images * saved.temporary * width * unit::byte;
  bytes.loaded = images * pixels * loaded_batches * loaded_bytes * unit::byte;
  return bytes;
}

/// Autocast keeps the copies that it narrows until the forward pass is over.
Bytes narrowed_copies(const Question& question, double parameters) {
  if (question.settings.weights != Weights::amp) return {};
  return parameters * bits(question.settings.arithmetic) / 8.0 * unit::byte;
}

/// A caching allocator gives back what it holds too much before an allocation fails.
Bytes slack(const Question& question, Bytes allocated) {
  const auto& memory = question.software.memory;
  const Bytes room = question.node.gpu.memory_visible - memory.context - allocated;
  return std::clamp(allocated * (memory.reserved_over_allocated - 1), Bytes{},
                    std::max(room, Bytes{}));
}

void add_parts(Footprint& f, const Question& question, const models::ConvNet& net) {
  const auto& memory = question.software.memory;
  const RankParameters count = parameters_of(net);
  const States states = states_on_rank(question, count);
  const ImageBytes images = image_bytes(question, net);
  const Bytes narrowed = narrowed_copies(question, count.other);
  f.weights = states.weights;
  f.gradients = states.gradients;
  f.optimizer = states.optimizer;
  f.activations = std::max(images.sum() + narrowed, states.update);
  f.peak_allocated = f.weights + f.gradients + f.optimizer + f.activations + memory.workspace;
  const Bytes held = slack(question, f.peak_allocated);
  f.peak_reserved = f.peak_allocated + held;
  f.other = memory.context + memory.workspace + held;
  f.load_peak = memory.context + states.weights;
  f.host = states.host * question.layout.data;
  const ParameterBytes each = bytes_of_full_training(question.settings);
  f.checkpoint = count.other * (each.weight + each.states()) * unit::byte;
  f.terms = {{"trained_weights", states.weights},
             {"gradients", states.gradients},
             {"optimizer_states", states.optimizer},
             {"kept_activations", images.kept},
             {"activation_gradients", images.gradients},
             {"images", images.loaded},
             {"narrowed_weights", narrowed},
             {"workspace", memory.workspace},
             {"allocator_slack", held},
             {"context", memory.context}};
}

}  // namespace

Footprint conv_net_footprint(const Question& question, const models::ConvNet& net) {
  Footprint footprint;
  if (auto problem = layout_problem(question)) {
    footprint.reason = std::move(*problem);
    return footprint;
  }
  add_parts(footprint, question, net);
  judge(footprint, question);
  footprint.notes.emplace_back(
      "activations are counted from the layer list; workspaces that a convolution library tries "
      "out are not");
  return footprint;
}

}  // namespace gpucap::training

#include "memory_notes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpucap::training {
namespace {

void note_sources(Footprint& f, const Question& question) {
  const auto& software = question.software;
  if (!software.memory.assumed.empty()) {
    f.notes.push_back(fmt::format("{}: assumed, not measured: {}", software.id,
                                  fmt::join(software.memory.assumed, ", ")));
  }
  const auto& sources = question.node.gpu.sources;
  const auto visible = sources.find("memory_visible");
  if (visible != sources.end() && visible->second.kind == "assumed") {
    f.notes.push_back(fmt::format("visible memory of {} is assumed: {}", question.node.gpu.id,
                                  visible->second.source));
  }
}

void note_model(Footprint& f, const models::Transformer& model) {
  if (model.experts) {
    f.notes.push_back(
        "experts are taken to get equal shares of the tokens; activations of mixtures of experts "
        "are counted, not validated");
  }
  if (model.latent || model.recurrent) {
    f.notes.push_back("activations of this kind of attention are counted, not validated");
  }
  if (model.encoder) f.notes.push_back("no vocabulary-wide head is trained on this encoder");
}

void note_settings(Footprint& f, const Question& question) {
  const auto& settings = question.settings;
  if (settings.offload != Offload::none) {
    f.notes.push_back("offload: measured peaks lie up to a fifth above such estimates");
  }
  if (settings.optimizer == Optimizer::adamw_8bit_paged) {
    f.notes.push_back(
        "paged optimiser states are counted in host memory; what fits stays on the "
        "card");
  }
  if (settings.arithmetic == Dtype::fp8) {
    f.notes.push_back("activations of fp8 arithmetic are counted in 16 bits");
  }
  if (question.layout.zero == 3 && question.layout.cards() > 1) {
    f.notes.push_back(
        "a trainer whose ranks each read the checkpoint holds it once per rank in "
        "host memory while it loads");
  }
}

}  // namespace

void add_memory_notes(Footprint& footprint, const Question& question,
                      const models::Transformer& model) {
  note_sources(footprint, question);
  note_model(footprint, model);
  note_settings(footprint, question);
}

}  // namespace gpucap::training

#include "verdict.hpp"

#include <fmt/format.h>

namespace gpucap::training {
namespace {

double gib(Bytes bytes) {
  return bytes.in(unit::GiB);
}

Bytes resident(const Footprint& f) {
  return f.weights + f.gradients + f.optimizer;
}

Bytes needed(const Footprint& f) {
  return resident(f) + f.activations + f.other;
}

std::string problem(const Footprint& f, Bytes card) {
  if (resident(f) > card) {
    return fmt::format(
        "weights, gradients and optimiser states alone need {:.2f} GiB and the card shows {:.2f} "
        "GiB",
        gib(resident(f)), gib(card));
  }
  if (needed(f) > card) {
    return fmt::format(
        "the fullest card needs {:.2f} GiB at its peak (weights {:.2f}, gradients {:.2f}, "
        "optimiser states {:.2f}, activations {:.2f}, other {:.2f}) and shows {:.2f} GiB",
        gib(needed(f)), gib(f.weights), gib(f.gradients), gib(f.optimizer), gib(f.activations),
        gib(f.other), gib(card));
  }
  if (f.load_peak > card) {
    return fmt::format(
        "loading needs {:.2f} GiB on each card, because the whole model is built there before it "
        "is sharded, and the card shows {:.2f} GiB; training itself would need {:.2f} GiB",
        gib(f.load_peak), gib(card), gib(needed(f)));
  }
  return "";
}

void note_margin(Footprint& f, const Question& question) {
  const double error = question.software.memory.relative_error;
  const Bytes card = question.node.gpu.memory_visible;
  const Bytes doubt = f.peak_allocated * error;
  if (f.free >= doubt || f.free < -doubt || f.load_peak > card) return;
  f.notes.push_back(fmt::format(
      "within {:.0f} % of the card's limit, which is the error of this estimate: it may "
      "go either way",
      100 * error));
}

}  // namespace

void judge(Footprint& footprint, const Question& question) {
  const Bytes card = question.node.gpu.memory_visible;
  footprint.free = card - needed(footprint);
  footprint.reason = problem(footprint, card);
  footprint.feasible = footprint.reason.empty();
  note_margin(footprint, question);
}

}  // namespace gpucap::training

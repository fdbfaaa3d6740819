#include "gpucap/training/limits.hpp"

#include "gpucap/training/memory.hpp"

#include <functional>

namespace gpucap::training {
namespace {

/// The largest n in 1..most for which `fits` holds, given that it holds for all smaller ones.
std::int64_t largest(std::int64_t most, const std::function<bool(std::int64_t)>& fits) {
  if (most < 1 || !fits(1)) return 0;
  std::int64_t good = 1;
  std::int64_t step = 1;
  while (step <= most - good && fits(good + step)) {
    good += step;
    step *= 2;
  }
  for (; step >= 1; step /= 2) {
    if (step <= most - good && fits(good + step)) good += step;
  }
  return good;
}

}  // namespace

std::int64_t largest_micro_batch(Question question) {
  constexpr std::int64_t most = 1 << 20;
  return largest(most, [&](std::int64_t samples) {
    question.settings.micro_batch = samples;
    return training_footprint(question).feasible;
  });
}

std::int64_t largest_seq_len(Question question) {
  const auto* model = std::get_if<models::Transformer>(&question.network);
  if (model == nullptr) return 0;
  const std::int64_t parts = question.layout.context;
  return parts * largest(model->max_positions / parts, [&](std::int64_t tokens) {
           question.settings.seq_len = tokens * parts;
           return training_footprint(question).feasible;
         });
}

}  // namespace gpucap::training

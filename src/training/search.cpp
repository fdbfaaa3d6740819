#include "gpucap/training/search.hpp"

#include "gpucap/training/exchange.hpp"

#include <algorithm>
#include <vector>

namespace gpucap::training {
namespace {

std::vector<int> divisors(int number) {
  std::vector<int> found;
  for (int one = 1; one <= number; ++one) {
    if (number % one == 0) found.push_back(one);
  }
  return found;
}

int cards_of_machine(const plan::Node& node) {
  return std::min(node.count, cards_per_machine(node));
}

/// Micro-batches of powers of two that cut the global batch into whole steps, the largest first.
std::vector<std::int64_t> micro_batches(std::int64_t per_rank) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 1; size <= per_rank; size *= 2) {
    if (per_rank % size == 0) sizes.push_back(size);
  }
  std::reverse(sizes.begin(), sizes.end());
  return sizes;
}

/// Stages of a pipeline cut its layers; a convolution net has one.
std::vector<int> pipelines(const Question& question, int cards) {
  const auto* model = std::get_if<models::Transformer>(&question.network);
  std::vector<int> found;
  for (const int stages : divisors(cards)) {
    if (stages == 1 || (model != nullptr && stages <= model->layers)) found.push_back(stages);
  }
  return found;
}

std::vector<int> tensors(const Question& question) {
  if (std::holds_alternative<models::ConvNet>(question.network)) return {1};
  return divisors(cards_of_machine(question.node));
}

/// Sequences short enough for one card are not cut.
std::vector<int> contexts(const Question& question, int cards) {
  constexpr std::int64_t worth_cutting = 16384;
  const bool convolutions = std::holds_alternative<models::ConvNet>(question.network);
  if (convolutions || question.settings.seq_len < worth_cutting) return {1};
  std::vector<int> found;
  for (const int parts : divisors(cards)) {
    if (parts <= cards_of_machine(question.node)) found.push_back(parts);
  }
  return found;
}

std::vector<int> experts(const Question& question, int data) {
  const auto* model = std::get_if<models::Transformer>(&question.network);
  return model != nullptr && model->experts ? divisors(data) : std::vector<int>{1};
}

/// Goes through the layouts of one number of cards, changing one question in place: a copy of all
/// that is known of a card costs more than to price a step.
class Search {
 public:
  Search(const Question& question, std::int64_t batch, SearchResult& result)
      : question_(question),
        recompute_(question.settings.recompute),
        batch_(batch),
        book_(question_.calibration, question_.node.host),
        result_(&result) {}

  /// `whole` when these are all the cards asked about.
  void on(int cards, bool whole) {
    question_.node.count = cards;
    whole_ = whole;
    for (const int tensor : tensors(question_)) {
      for (const int pipeline : pipelines(question_, cards / tensor)) {
        for (const int context : contexts(question_, cards / tensor / pipeline)) {
          try_degrees(tensor, pipeline, context);
        }
      }
    }
  }

 private:
  void try_degrees(int tensor, int pipeline, int context) {
    const int data = question_.node.count / tensor / pipeline / context;
    if (batch_ % data != 0) return;
    const bool sequences = question_.layout.sequence_parallel;
    for (const int expert : experts(question_, data)) {
      for (const int interleave : {1, 2}) {
        question_.layout = {data, tensor, pipeline, context, expert, interleave, 0, sequences};
        if (!layout_problem(question_)) try_batches(batch_ / data);
      }
    }
  }

  void try_batches(std::int64_t per_rank) {
    for (const std::int64_t micro_batch : micro_batches(per_rank)) {
      question_.settings.micro_batch = micro_batch;
      question_.settings.grad_accum = per_rank / micro_batch;
      try_shardings();
    }
  }

  void try_shardings() {
    const int most = question_.layout.data * question_.layout.context > 1 ? 3 : 0;
    for (int zero = 0; zero <= most; ++zero) {
      for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
        if (recompute < recompute_) continue;
        question_.layout.zero = zero;
        question_.settings.recompute = recompute;
        if (!layout_problem(question_)) weigh();
      }
    }
    question_.layout.zero = 0;
  }

  void weigh() {
    ++result_->tried;
    const Footprint footprint = training_footprint(question_);
    if (!footprint.feasible) return keep_nearest(footprint);
    ++result_->fit;
    const StepTime step = training_step(question_, book_);
    const bool fastest = whole_ && (!result_->fastest || step.time < result_->fastest->step.time);
    const bool cheapest =
        !result_->cheapest || card_time(question_, step) <
                                  card_time(result_->cheapest->question, result_->cheapest->step);
    if (fastest) result_->fastest = LaidOut{question_, footprint, step};
    if (cheapest) result_->cheapest = LaidOut{question_, footprint, step};
  }

  void keep_nearest(const Footprint& footprint) {
    if (result_->fit > 0) return;
    if (!result_->nearest || footprint.free > result_->nearest->footprint.free) {
      result_->nearest = LaidOut{question_, footprint, {}};
    }
  }

  static Seconds card_time(const Question& question, const StepTime& step) {
    return step.time * static_cast<double>(question.node.count);
  }

  Question question_;
  Recompute recompute_;
  std::int64_t batch_;
  CollectiveBook book_;
  SearchResult* result_;
  bool whole_ = true;
};

}  // namespace

std::int64_t global_batch(const Question& question) {
  return question.settings.micro_batch * question.settings.grad_accum * question.layout.data;
}

SearchResult search_layouts(const Question& question, std::int64_t global_batch) {
  SearchResult result;
  Search search(question, global_batch, result);
  search.on(question.node.count, true);
  const int machine = cards_of_machine(question.node);
  for (int cards = question.node.count / 2; cards >= machine && cards % machine == 0; cards /= 2) {
    search.on(cards, false);
  }
  if (result.fit > 0) result.nearest.reset();
  return result;
}

}  // namespace gpucap::training

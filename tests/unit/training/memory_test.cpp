#include "gpucap/training/memory.hpp"

#include "support/catch.hpp"
#include "training_jobs.hpp"

using namespace gpucap;
using namespace gpucap::test;
using training::Method;
using training::Question;
using training::Recompute;
using training::training_footprint;

namespace {

/// Jobs of many kinds on `cards` cards with ZeRO stage `zero`.
std::vector<Question> jobs(int cards, int zero) {
  std::vector<Question> all;
  for (const auto& shape : {llama_31_8b, qwen25_0_5b, yi_34b}) {
    for (const auto method : {Method::full, Method::lora, Method::qlora}) {
      for (const bool fused : {true, false}) {
        auto question = training_job(transformer(shape), cards, zero);
        question.settings.method = method;
        question.software.memory.fused_activations = fused;
        question.software.memory.optimizer_temporary = 8;
        question.software.memory.live_parameters = fused ? 0 : 1e9;
        question.software.memory.mixed_shards = !fused;
        question.settings.attention =
            fused ? training::AttentionKernel::flash : training::AttentionKernel::unfused;
        all.push_back(question);
      }
    }
  }
  return all;
}

template <class Change>
void never_needs_more(const std::vector<Question>& before, Change change) {
  for (auto question : before) {
    const auto first = needed(training_footprint(question));
    change(question);
    CHECK(needed(training_footprint(question)).base() <= first.base() * (1 + 1e-12));
  }
}

}  // namespace

TEST_CASE("parts and what is free make up the card, and terms make up the parts") {
  for (const int zero : {0, 3}) {
    for (auto question : jobs(4, zero)) {
      question.software.memory.context = 1 * unit::GB;
      question.software.memory.shard_buffer = 1 * unit::GB;
      question.software.memory.workspace = 64 * unit::MiB;
      question.software.memory.reserved_over_allocated = 1.1;
      const auto f = training_footprint(question);
      CHECK((needed(f) + f.free).base() == Approx(question.node.gpu.memory_visible.base()));
      Bytes sum;
      for (const auto& [name, bytes] : f.terms) sum += bytes;
      CHECK(sum.base() == Approx(needed(f).base()));
      CHECK(f.peak_reserved >= f.peak_allocated);
      CHECK(f.feasible == (f.free >= Bytes{}));
      CHECK(f.feasible == f.reason.empty());
    }
  }
}

TEST_CASE("ZeRO-3 over more ranks never needs more of a card") {
  for (const int cards : {2, 4, 8, 64}) {
    never_needs_more(jobs(cards, 3),
                     [&](Question& q) { q.node.count = q.layout.data = 2 * cards; });
  }
}

TEST_CASE("a higher ZeRO stage below 3 never needs more") {
  for (const int zero : {0, 1}) {
    never_needs_more(jobs(8, zero), [&](Question& q) { q.layout.zero = zero + 1; });
  }
}

TEST_CASE("recompute never needs more") {
  never_needs_more(jobs(1, 0), [](Question& q) { q.settings.recompute = Recompute::selective; });
  never_needs_more(jobs(1, 0), [](Question& q) { q.settings.recompute = Recompute::full; });
}

TEST_CASE("shorter sequences, smaller batches and 8-bit states never need more") {
  for (const int zero : {0, 3}) {
    never_needs_more(jobs(4, zero), [](Question& q) { q.settings.seq_len /= 2; });
    auto doubled = jobs(4, zero);
    for (auto& question : doubled) question.settings.micro_batch = 2;
    never_needs_more(doubled, [](Question& q) { q.settings.micro_batch = 1; });
    never_needs_more(jobs(4, zero),
                     [](Question& q) { q.settings.optimizer = training::Optimizer::adamw_8bit; });
    never_needs_more(jobs(4, zero),
                     [](Question& q) { q.settings.offload = training::Offload::optimizer; });
  }
}

TEST_CASE("an allocator's slack is what the card has left, and refuses nothing") {
  auto question = training_job(transformer(qwen25_0_5b));
  question.node.gpu.memory_visible = needed(training_footprint(question)) * 1.02;
  question.software.memory.reserved_over_allocated = 1.2;
  const auto f = training_footprint(question);
  CHECK(f.feasible);
  CHECK((f.peak_reserved / f.peak_allocated) == Approx(1.02));
}

TEST_CASE("what cannot be laid out is infeasible for that reason") {
  auto question = training_job(transformer(llama_2_7b), 3);
  question.layout.data = 1;
  question.layout.tensor = 3;
  const auto f = training_footprint(question);
  CHECK_FALSE(f.feasible);
  CHECK(f.reason == "32 heads cannot be split over 3 cards");
}

TEST_CASE("a card without the arithmetic that is asked for cannot run the job") {
  auto question = training_job(transformer(qwen25_0_5b));
  question.settings.arithmetic = Dtype::tf32;
  CHECK(training_footprint(question).reason == "card has no tf32 arithmetic");
  question.settings.arithmetic = Dtype::fp16;
  CHECK(training_footprint(question).feasible);
}

TEST_CASE("an estimate within its error of the limit says so") {
  auto question = training_job(transformer(qwen25_0_5b));
  question.software.memory.relative_error = 0.1;
  const Bytes all = needed(training_footprint(question));
  for (const auto& [share, close] : {std::pair{0.95, true}, {1.05, true}, {1.2, false}}) {
    question.node.gpu.memory_visible = all * share;
    const auto f = training_footprint(question);
    bool said = false;
    for (const auto& note : f.notes) said = said || note.find("either way") != std::string::npos;
    CHECK(said == close);
  }
}

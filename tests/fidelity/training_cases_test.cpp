// Open cases of training memory, asked by users; ids as in the list of open cases. Nothing is
// fitted on them. What a case leaves open (tokens, rank of adapters) is taken from its source's
// defaults and stated.
#include "gpucap/training/memory.hpp"

#include <iostream>

#include "support/catch.hpp"
#include "training_rows.hpp"
#include <fmt/format.h>

using namespace gpucap;
using namespace gpucap::test;
using training::Footprint;
using training::Method;
using training::Question;
using training::Recompute;
using training::training_footprint;

namespace {

double needed_gib(const Footprint& f) {
  return (f.weights + f.gradients + f.optimizer + f.activations + f.other).in(unit::GiB);
}

double states_gib(const Footprint& f) {
  return (f.weights + f.gradients + f.optimizer).in(unit::GiB);
}

void tell(const std::string& id, const std::string& what, double predicted, double measured,
          const std::string& unit_name, const Footprint& f) {
  std::cout << fmt::format("{} {}: {:.2f} {}, measured {:.2f} ({:+.0f} %), needs {:.2f} GiB: {}\n",
                           id, what, predicted, unit_name, measured,
                           100 * (predicted / measured - 1), needed_gib(f),
                           f.feasible ? "fits" : f.reason);
}

/// litgpt/finetune/lora.py at its defaults: rank 8 on queries and values, no recompute; 1,304
/// tokens are the longest of its data set.
Question litgpt(const std::string& gpu, int cards, std::int64_t micro_batch) {
  auto question = job("llama-2-13b", gpu, cards, cards > 1 ? 3 : 0, "litgpt");
  question.settings.method = Method::lora;
  question.settings.adapters = {8, training::Adapters::Targets::query_value, true, false};
  question.settings.seq_len = 1304;
  question.settings.micro_batch = micro_batch;
  return question;
}

/// fsdp_qlora/train.py at its defaults: rank 64, recompute.
Question answer_ai(const std::string& model, const std::string& gpu, Method method,
                   std::int64_t batch, std::int64_t tokens) {
  auto question = job(model, gpu, 2, 3, "fsdp-qlora");
  question.settings.method = method;
  question.settings.adapters.rank = 64;
  question.settings.seq_len = tokens;
  question.settings.micro_batch = batch;
  question.settings.recompute = Recompute::full;
  return question;
}

}  // namespace

TEST_CASE("M03: LoRA of 13B fits 40 GB with one sequence, not with two and not 24 GB") {
  const auto one = training_footprint(litgpt("a100-sxm-40gb", 1, 1));
  const auto two = training_footprint(litgpt("a100-sxm-40gb", 1, 2));
  const auto small = training_footprint(litgpt("rtx-4090", 1, 1));
  tell("M03", "reserved", one.peak_reserved.in(unit::GB), 38.12, "GB", one);
  tell("M03", "two sequences", two.peak_reserved.in(unit::GB), 40, "GB", two);
  CHECK(one.feasible);
  CHECK_FALSE(two.feasible);
  CHECK_FALSE(small.feasible);
}

TEST_CASE("M04: QLoRA of 13B just fits 24 GB") {
  auto question = litgpt("rtx-4090", 1, 1);
  question.settings.method = Method::qlora;
  const auto f = training_footprint(question);
  tell("M04", "reserved", f.peak_reserved.in(unit::GB), 22.55, "GB", f);
  CHECK(f.peak_reserved.in(unit::GB) == Approx(22.55).epsilon(0.08));
}

TEST_CASE("M07: LoRA of 13B on two sharded cards of 40 GB is told to be near the limit") {
  const auto two = training_footprint(litgpt("a100-sxm-40gb", 2, 1));
  const auto four = training_footprint(litgpt("a100-sxm-40gb", 4, 1));
  tell("M07", "on 4 cards", four.peak_reserved.in(unit::GB), 35.57, "GB", four);
  tell("M07", "on 2 cards", two.peak_reserved.in(unit::GB), 40, "GB", two);
  // Two sharded cards need more than half of what one does: gradients of the frozen half stand too.
  const auto one = training_footprint(litgpt("a100-sxm-40gb", 1, 1));
  CHECK(needed_gib(two) > needed_gib(one));
  bool near_limit = false;
  for (const auto& note : two.notes) near_limit |= note.find("either way") != std::string::npos;
  CHECK(near_limit);
}

TEST_CASE("M08: full training of 8B fits one card of 24 GB with a paged fused optimiser") {
  auto question = job("llama-3.1-8b", "rtx-4090", 1, 0, "tuned");
  auto& settings = question.settings;
  settings.weights = training::Weights::pure;
  settings.optimizer = training::Optimizer::adamw_8bit_paged;
  settings.fused_optimizer = true;
  settings.micro_batch = 2;
  settings.recompute = Recompute::full;
  const auto f = training_footprint(question);
  tell("M08", "peak", f.peak_reserved.in(unit::GiB), 18.9, "GiB", f);
  CHECK(f.feasible);
  CHECK(f.peak_reserved.in(unit::GiB) == Approx(18.9).epsilon(0.1));
}

TEST_CASE("M12, M13, M28: 16 bytes per parameter over four, one and eight cards") {
  struct Case {
    const char *id, *model, *gpu;
    int cards;
    double gib;
    const char* software;
  };
  for (const Case& c :
       {Case{"M12", "llama-2-7b", "rtx-3090", 4, 25.1, "huggingface"},
        Case{"M13", "llama-2-7b", "a100-sxm-80gb", 1, 100.4, "huggingface"},
        Case{"M28", "deepseek-coder-33b", "a100-sxm-80gb", 8, 62.0, "huggingface-deepspeed"}}) {
    auto question = job(c.model, c.gpu, c.cards, c.cards > 1 ? 3 : 0, c.software);
    question.settings.recompute = Recompute::full;
    const auto f = training_footprint(question);
    tell(c.id, "states", states_gib(f), c.gib, "GiB", f);
    CHECK(states_gib(f) == Approx(c.gib).epsilon(0.01));
    // M28 failed at 77 GiB; here it fits by less than the error of the estimate.
    CHECK(f.feasible == (c.cards == 8));
  }
}

TEST_CASE("M14, M15, M16: QLoRA over two RTX 4090 fits from 7B to 70B") {
  struct Case {
    const char *id, *model;
    std::int64_t batch;
    double gib;
    training::Offload offload;
    double within;
  };
  for (const Case& c : {Case{"M14", "llama-2-7b", 10, 20.97, training::Offload::none, 0.11},
                        Case{"M15", "yi-34b", 2, 23.05, training::Offload::none, 0.08},
                        Case{"M16", "llama-2-70b", 2, 14.92, training::Offload::params, 0.23}}) {
    auto question = answer_ai(c.model, "rtx-4090", Method::qlora, c.batch, 2048);
    question.settings.offload = c.offload;
    const auto f = training_footprint(question);
    tell(c.id, "reserved", f.peak_reserved.in(unit::GiB), c.gib, "GiB", f);
    CHECK(f.feasible);
    CHECK(f.peak_reserved.in(unit::GiB) == Approx(c.gib).epsilon(c.within));
  }
}

TEST_CASE("M19: reserved and allocated peaks are told apart") {
  for (const auto& [tokens, allocated, reserved] :
       {std::tuple{512, 8.28, 10.24}, {2048, 9.16, 10.22}}) {
    const auto f = training_footprint(answer_ai("llama-2-7b", "rtx-3090", Method::lora, 1, tokens));
    tell("M19", "allocated", f.peak_allocated.in(unit::GiB), allocated, "GiB", f);
    tell("M19", "reserved", f.peak_reserved.in(unit::GiB), reserved, "GiB", f);
    CHECK(f.peak_allocated.in(unit::GiB) == Approx(allocated).epsilon(0.1));
    CHECK(f.peak_reserved.in(unit::GiB) == Approx(reserved).epsilon(0.1));
  }
}

TEST_CASE("M20: QLoRA of 70B on four cards of 24 GB fails while it loads, not while it trains") {
  auto question = job("llama-2-70b", "rtx-3090", 4, 3, "huggingface");
  question.settings.method = Method::qlora;
  question.settings.seq_len = 512;
  question.settings.recompute = Recompute::full;
  const auto f = training_footprint(question);
  tell("M20", "load", f.load_peak.in(unit::GiB), 24, "GiB", f);
  CHECK_FALSE(f.feasible);
  CHECK(f.reason.starts_with("loading needs"));
}

TEST_CASE("M27: at 10,240 tokens of eager attention a 4-bit base saves little") {
  auto question = job("glm-4-9b", "a100-sxm-80gb", 1, 0, "huggingface");
  question.settings.method = Method::lora;
  question.settings.adapters.rank = 8;
  question.settings.seq_len = 10240;
  question.settings.recompute = Recompute::full;
  question.settings.attention = training::AttentionKernel::unfused;
  const auto lora = training_footprint(question);
  tell("M27", "LoRA", needed_gib(lora) * 1.0737, 66, "GB", lora);
  question.settings.method = Method::qlora;
  const auto qlora = training_footprint(question);
  tell("M27", "QLoRA", needed_gib(qlora) * 1.0737, 72, "GB", qlora);
  CHECK(needed_gib(lora) * 1.0737 == Approx(66).epsilon(0.17));
  // The 4-bit base saves 12 GB of 60; measured, it saved nothing.
  CHECK(needed_gib(qlora) > 0.75 * needed_gib(lora));
}

TEST_CASE("BERT-large trains with the published batches on cards of 24, 40, 48 and 80 GB") {
  for (const auto& [gpu, batch] : {std::pair{"rtx-4090", 28},
                                   {"a100-sxm-40gb", 48},
                                   {"rtx-6000-ada", 64},
                                   {"a100-sxm-80gb", 112}}) {
    auto question = job("bert-large", gpu, 1, 0, "framework");
    question.settings.weights = training::Weights::amp;
    question.settings.arithmetic = Dtype::fp16;
    question.settings.attention = training::AttentionKernel::unfused;
    question.settings.seq_len = 384;
    question.settings.micro_batch = batch;
    const auto f = training_footprint(question);
    std::cout << fmt::format("BERT-large {} x 384 on {}: {:.1f} of {:.1f} GiB\n", batch, gpu,
                             needed_gib(f), question.node.gpu.memory_visible.in(unit::GiB));
    CHECK(f.feasible);
  }
}

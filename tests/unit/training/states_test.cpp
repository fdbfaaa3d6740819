#include "gpucap/training/memory.hpp"

#include "support/catch.hpp"
#include "training_jobs.hpp"

using namespace gpucap;
using namespace gpucap::test;
using training::Method;
using training::Optimizer;
using training::training_footprint;
using training::Weights;

namespace {
constexpr double all_of_7b = 6'738'415'616;      // Llama-2-7B
constexpr double linears_of_7b = 6'476'005'376;  // its linear layers without the head

double states_per_parameter(const training::Question& question) {
  const auto f = training_footprint(question);
  return (f.weights + f.gradients + f.optimizer).base() / all_of_7b;
}

training::Question job_of_7b(int cards = 1, int zero = 0) {
  return training_job(transformer(llama_2_7b), cards, zero);
}
}  // namespace

TEST_CASE("mixed AdamW takes 16 bytes per parameter: 100.4 GiB for 7B, which 80 GiB do not hold") {
  const auto f = training_footprint(job_of_7b());
  CHECK((f.weights + f.gradients + f.optimizer).in(unit::GiB) == Approx(100.41).margin(0.01));
  CHECK_FALSE(f.feasible);
  CHECK(f.reason ==
        "weights, gradients and optimiser states alone need 100.41 GiB and the card shows 80.00 "
        "GiB");
}

TEST_CASE("bytes per parameter follow weights, gradients and optimiser") {
  struct Case {
    Weights weights;
    Dtype gradients;
    Optimizer optimizer;
    double bytes;
  };
  // An 8-bit moment is 1 B and an fp32 constant for each 256 weights: 1.015625 B.
  for (const Case& c : {Case{Weights::mixed, Dtype::bf16, Optimizer::adamw, 2 + 2 + 4 + 8},
                        Case{Weights::mixed, Dtype::fp32, Optimizer::adamw, 2 + 4 + 4 + 8},
                        Case{Weights::amp, Dtype::bf16, Optimizer::adamw, 4 + 4 + 8},
                        Case{Weights::full, Dtype::bf16, Optimizer::adamw, 4 + 4 + 8},
                        Case{Weights::pure, Dtype::bf16, Optimizer::adamw, 2 + 2 + 4},
                        Case{Weights::pure, Dtype::bf16, Optimizer::adamw_8bit, 6.03125},
                        Case{Weights::pure, Dtype::bf16, Optimizer::adamw_8bit_paged, 4},
                        Case{Weights::mixed, Dtype::bf16, Optimizer::sgd, 2 + 2 + 4},
                        Case{Weights::full, Dtype::bf16, Optimizer::sgd_momentum, 4 + 4 + 4}}) {
    auto question = job_of_7b();
    question.settings.weights = c.weights;
    question.settings.gradients = c.gradients;
    question.settings.optimizer = c.optimizer;
    CHECK(states_per_parameter(question) == Approx(c.bytes));
  }
}

TEST_CASE("ZeRO stages share states, then gradients, then weights over four ranks") {
  CHECK(states_per_parameter(job_of_7b(4, 0)) == Approx(16));
  CHECK(states_per_parameter(job_of_7b(4, 1)) == Approx(2 + 2 + 12 / 4.0));
  CHECK(states_per_parameter(job_of_7b(4, 2)) == Approx(2 + 14 / 4.0));
  CHECK(states_per_parameter(job_of_7b(4, 3)) == Approx(16 / 4.0));
}

TEST_CASE("an update fused into the backward pass holds one gradient, and paged states leave") {
  auto question = job_of_7b();
  question.settings.weights = Weights::pure;
  question.settings.optimizer = Optimizer::adamw_8bit_paged;
  question.settings.fused_optimizer = true;
  const auto f = training_footprint(question);
  // The embedding is the largest tensor: 32,000 x 4,096 x 2 B. Hosts hold 2 x 1.015625 B each.
  CHECK(f.gradients.base() == Approx(32000.0 * 4096 * 2));
  CHECK(f.optimizer == Bytes{});
  CHECK(f.host.base() == Approx(2.03125 * all_of_7b));
}

TEST_CASE("adapters count r x (inputs + outputs) of each target") {
  auto question = job_of_7b();
  question.settings.method = Method::lora;
  question.settings.adapters.rank = 8;
  question.settings.adapters.targets = training::Adapters::Targets::query_value;
  // 32 layers x 8 x 2 x (4,096 + 4,096) = 4.19 M at 4 B each.
  auto f = training_footprint(question);
  CHECK(term(f, "trained_weights").base() == 32.0 * 8 * 2 * 8192 * 4);
  CHECK(term(f, "frozen_weights").base() == Approx(2 * all_of_7b));
  CHECK(f.optimizer.base() == 2 * term(f, "trained_weights").base());
  // Rank 64 on all seven: 32 x 64 x (4 x 8,192 + 3 x 15,104) = 159.9 M.
  question.settings.adapters.rank = 64;
  question.settings.adapters.targets = training::Adapters::Targets::all_linear;
  f = training_footprint(question);
  CHECK(term(f, "trained_weights").base() == 159'907'840.0 * 4);
  CHECK(f.checkpoint.base() == 159'907'840.0 * 12);
}

TEST_CASE("an NF4 base takes 4.5 bits per linear weight, 4.127 with its scales quantised again") {
  auto question = job_of_7b();
  question.settings.method = Method::qlora;
  question.settings.base.double_quantisation = false;
  const double rest = 2 * (all_of_7b - linears_of_7b);
  auto f = training_footprint(question);
  CHECK((term(f, "frozen_weights").base() - rest) / 1e9 == Approx(3.643).margin(0.001));
  question.settings.base.double_quantisation = true;
  f = training_footprint(question);
  CHECK((term(f, "frozen_weights").base() - rest) / 1e9 == Approx(3.341).margin(0.001));
  // The widened copy of the largest matrix: 4,096 x 11,008 x 2 B.
  CHECK(term(f, "widened_matrix").base() == 4096.0 * 11008 * 2);
}

TEST_CASE("trained copies of embedding and head cost 8 bytes each beside the frozen originals") {
  auto question = job_of_7b();
  question.settings.method = Method::lora;
  const auto without = training_footprint(question);
  question.settings.adapters.embeddings = true;
  const auto with = training_footprint(question);
  const Bytes more = with.weights + with.gradients + with.optimizer - without.weights -
                     without.gradients - without.optimizer;
  CHECK(more.base() == Approx(8.0 * 2 * 32000 * 4096));
}

TEST_CASE("offload moves states, and with the weights everything, to the host") {
  auto question = job_of_7b(4, 3);
  question.settings.offload = training::Offload::optimizer;
  auto f = training_footprint(question);
  // Sharded gradients leave with the states they update: 12 + 2 of 16 bytes, all four shares.
  CHECK(f.weights.base() == Approx(2 * all_of_7b / 4));
  CHECK((f.gradients + f.optimizer) == Bytes{});
  CHECK(f.host.base() == Approx(14 * all_of_7b));
  question.settings.offload = training::Offload::params;
  f = training_footprint(question);
  CHECK(f.weights == Bytes{});
  CHECK(f.host.base() == Approx(16 * all_of_7b));
}

TEST_CASE("an update holds its temporaries only while no activations stand") {
  auto question = job_of_7b(8, 3);
  question.software.memory.optimizer_temporary = 8;
  question.settings.seq_len = 16;  // next to no activations
  // 8 B x 6.74e9 / 8 ranks, or of 1e8 parameters at once; half of it where all is in 16 bits.
  CHECK(training_footprint(question).activations.base() == Approx(all_of_7b));
  question.settings.weights = Weights::pure;
  CHECK(training_footprint(question).activations.base() == Approx(all_of_7b / 2));
  question.settings.weights = Weights::mixed;
  question.software.memory.optimizer_group = 8e8;
  CHECK(training_footprint(question).activations.base() == Approx(8 * 8e8));
}

TEST_CASE("a checkpoint keeps weights and states: 14 bytes per parameter of mixed AdamW") {
  CHECK(training_footprint(job_of_7b(8, 3)).checkpoint.base() == Approx(14 * all_of_7b));
}

TEST_CASE("experts dealt out over ranks are not cut again where no other rank holds them") {
  auto model = transformer({"moe", 2, 64, 0, 4, 4, 16, 1000, 4096});
  model.experts = models::Experts{8, 2, 0, 128, 0, 0, 0, false, false};
  const double experts = 2.0 * 8 * 3 * 64 * 128;
  const double rest = static_cast<double>(models::parameters(model)) - experts;
  auto question = training_job(model, 4, 0);
  question.layout.expert = 4;
  CHECK(training_footprint(question).weights.base() == Approx(2 * (rest + experts / 4)));
  question.layout.zero = 3;
  CHECK(training_footprint(question).weights.base() == Approx(2 * (rest + experts) / 4));
  question.layout.expert = 2;  // two ranks hold the same half
  CHECK(training_footprint(question).weights.base() == Approx(2 * (rest + experts) / 4));
}

TEST_CASE("frozen experts and their adapters are cut over the ranks that hold the same ones") {
  auto model = transformer({"moe", 2, 64, 0, 4, 4, 16, 1000, 4096});
  model.experts = models::Experts{8, 2, 0, 128, 0, 0, 0, false, false};
  auto question = training_job(model, 4, 3);
  question.settings.method = Method::lora;
  question.settings.adapters.targets = training::Adapters::Targets::all_linear;
  const auto together = training_footprint(question);
  question.layout.expert = 4;
  const auto apart = training_footprint(question);
  CHECK(apart.weights.base() == Approx(together.weights.base()));
  CHECK(apart.optimizer.base() == Approx(together.optimizer.base()));
}

TEST_CASE("a software that builds a 4-bit model before it cuts it needs W (1 + 1/D) to load") {
  auto question = job_of_7b(2, 3);
  question.settings.method = Method::qlora;
  const auto cut = training_footprint(question);
  question.software.memory.whole_model_at_load = true;
  const auto whole = training_footprint(question);
  CHECK((whole.load_peak - cut.load_peak).base() ==
        Approx(2 * term(whole, "frozen_weights").base()));
  question.node.gpu.memory_visible = 5 * unit::GiB;
  question.settings.seq_len = 16;
  const auto refused = training_footprint(question);
  CHECK_FALSE(refused.feasible);
  CHECK(refused.reason.starts_with("loading needs"));
}

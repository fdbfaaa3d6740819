#include "gpucap/training/exchange.hpp"
#include "gpucap/training/step.hpp"

#include <stdexcept>
#include <vector>

#include "support/catch.hpp"
#include "support/toy_training.hpp"

using namespace gpucap;
using namespace gpucap::training;

namespace {

Question layout(int data, int tensor, int pipeline, int zero = 0) {
  Question question = toy::training_question(data * tensor * pipeline);
  question.layout.data = data;
  question.layout.tensor = tensor;
  question.layout.pipeline = pipeline;
  question.layout.zero = zero;
  question.settings.grad_accum = 2;
  question.software.time.exchange_overlap = 0.5;
  question.software.time.straggle = 0.01;
  return question;
}

std::vector<Question> layouts() {
  return {layout(1, 1, 1), layout(4, 1, 1),    layout(4, 1, 1, 1), layout(4, 1, 1, 3),
          layout(2, 2, 1), layout(1, 1, 2),    layout(2, 1, 2, 1), layout(2, 2, 2),
          layout(8, 1, 1), layout(16, 1, 1, 3)};
}

}  // namespace

TEST_CASE("the parts of a step add up, and so does the work of a card") {
  for (const Question& question : layouts()) {
    const StepTime step = training_step(question);
    const Seconds parts = step.compute + step.communication + step.optimizer + step.bubble +
                          step.offload + step.straggle;
    CHECK(step.time / parts == Approx(1));
    CHECK(step.work.time() / step.time == Approx(1));
    CHECK((step.forward + step.backward + step.recompute) / step.compute == Approx(1));
  }
}

TEST_CASE("one card exchanges nothing and waits for nobody") {
  const StepTime step = training_step(layout(1, 1, 1));
  CHECK(step.communication.base() == 0);
  CHECK(step.bubble.base() == 0);
  CHECK(step.straggle.base() == 0);
  CHECK(step.work.link_bytes.base() == 0);
}

TEST_CASE("more bandwidth is never slower") {
  for (Question question : layouts()) {
    const Seconds before = training_step(question).time;
    question.node.gpu.memory_bandwidth = 2 * question.node.gpu.memory_bandwidth;
    const Seconds faster_memory = training_step(question).time;
    CHECK(faster_memory < before);
    question.node.host.layout.nic = 4 * unit::GB_per_s;
    question.node.host.layout.pcie = {4, 16};
    question.node.host.topology = build_topology(question.node.host.layout);
    CHECK(training_step(question).time <= faster_memory);
  }
}

TEST_CASE("recomputing is never faster than keeping") {
  for (Question question : layouts()) {
    const Seconds kept = training_step(question).time;
    question.settings.recompute = Recompute::full;
    CHECK(training_step(question).time > kept);
  }
}

TEST_CASE("more micro-batches are never fewer tokens a second") {
  for (Question question : layouts()) {
    const StepTime few = training_step(question);
    question.settings.grad_accum *= 4;
    const StepTime many = training_step(question);
    CHECK(many.time / static_cast<double>(many.tokens) <=
          few.time / static_cast<double>(few.tokens) * (1 + 1e-12));
  }
}

TEST_CASE("stages of a pipeline compute what one card would") {
  // Two equal layers and no head: each stage has half of the kernels.
  Question whole = layout(1, 1, 1), halves = layout(1, 1, 2);
  std::get<models::Transformer>(whole.network).encoder = true;
  std::get<models::Transformer>(halves.network).encoder = true;
  CHECK(2 * (training_step(halves).compute / training_step(whole).compute) ==
        Approx(1).epsilon(0.02));  // gradients of the embedding are added up on the first alone
}

TEST_CASE("interleaved chunks shorten the bubble and nothing else of the compute") {
  Question question = layout(1, 1, 2);
  std::get<models::Transformer>(question.network).layers = 4;
  const StepTime plain = training_step(question);
  question.layout.interleave = 2;
  const StepTime interleaved = training_step(question);
  CHECK(interleaved.bubble < plain.bubble);
  CHECK(interleaved.compute.base() == plain.compute.base());
}

TEST_CASE("a book of collectives changes no step") {
  for (const Question& question : layouts()) {
    CollectiveBook book(question.calibration, question.node.host);
    const StepTime first = training_step(question, book);
    CHECK(first.time.base() == training_step(question).time.base());
    CHECK(first.time.base() == training_step(question, book).time.base());
  }
}

TEST_CASE("a job that cannot be laid out has no step") {
  Question question = layout(1, 1, 1);
  question.layout.tensor = 3;
  question.node.count = 3;
  CHECK_THROWS_AS(training_step(question), std::invalid_argument);
}

#include "gpucap/training/optimizer.hpp"

#include "support/catch.hpp"
#include "support/toy_training.hpp"

using namespace gpucap;
using namespace gpucap::training;

TEST_CASE("Adam moves 28 bytes a weight with an fp32 master copy and 14 in pure 16 bits") {
  // Gradient 2, master 4 + 4, two moments of 4 + 4, 16-bit weight 2; pure: 2, 2 + 2, 2 x (2 + 2).
  Settings settings;
  CHECK(update_bytes_per_weight(settings) == 28);
  settings.weights = Weights::pure;
  CHECK(update_bytes_per_weight(settings) == 14);
  settings.optimizer = Optimizer::sgd;
  CHECK(update_bytes_per_weight(settings) == 6);
}

TEST_CASE("an update on the card streams its bytes once") {
  // 1e6 weights x 28 B at 1 GB/s.
  const Question question = toy::training_question();
  const Update update = weight_update(question, 1e6);
  CHECK(update.time().in(unit::ms) == Approx(28));
  CHECK(update.card.bytes.in(unit::MB) == Approx(28));
}

TEST_CASE("an update on the host takes the link down and up and the host's memory") {
  // 1e6 weights: 4 MB over 15.754 GB/s = 0.2539 ms; 28 MB of host memory at 10 GB/s = 2.8 ms.
  Question question = toy::training_question();
  question.settings.offload = Offload::optimizer;
  const Update update = weight_update(question, 1e6);
  CHECK(update.copies.in(unit::ms) == Approx(0.2539).epsilon(1e-3));
  CHECK(update.card.time().in(unit::ms) == Approx(2.8));
}

TEST_CASE("four cards of a machine share its memory when the host updates") {
  Question question = toy::training_question(4);
  question.settings.offload = Offload::optimizer;
  CHECK(weight_update(question, 1e6).card.time().in(unit::ms) == Approx(11.2));
}

TEST_CASE("paged moments go over the link and back") {
  // Two moments of 1 + 4/256 bytes, read and written: 4.0625 MB over 15.754 GB/s.
  Question question = toy::training_question();
  question.settings.optimizer = Optimizer::adamw_8bit_paged;
  CHECK(weight_update(question, 1e6).copies.in(unit::ms) == Approx(0.25787).epsilon(1e-3));
}

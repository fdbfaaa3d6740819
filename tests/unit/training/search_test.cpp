#include "gpucap/training/search.hpp"

#include "gpucap/training/cures.hpp"

#include "support/catch.hpp"
#include "support/toy_training.hpp"

using namespace gpucap;
using training::find_cures;
using training::search_layouts;

namespace {

/// Four toy cards, 16 sequences a step.
training::Question job() {
  auto question = toy::training_question(4);
  question.settings.grad_accum = 4;
  return question;
}

/// Cards that hold so much more or less than what the question needs.
training::Question with_room(training::Question question, double share) {
  const auto need = training_footprint(question);
  const Bytes used = question.node.gpu.memory_visible - need.free;
  question.node.gpu.memory_visible = share * used;
  return question;
}

}  // namespace

TEST_CASE("a search keeps the global batch and never answers with a slower layout than the first") {
  const auto question = job();
  const auto found = search_layouts(question, 16);
  REQUIRE(found.fastest);
  CHECK(training::global_batch(found.fastest->question) == 16);
  CHECK(found.fastest->question.layout.cards() == 4);
  CHECK(found.fastest->step.time <= training_step(question).time);
  CHECK(found.fit <= found.tried);
  CHECK_FALSE(found.nearest);
}

TEST_CASE("what the search calls the fastest fits") {
  const auto found = search_layouts(with_room(job(), 0.8), 16);
  REQUIRE(found.fastest);
  CHECK(found.fastest->footprint.feasible);
  CHECK(found.fit < found.tried);
}

TEST_CASE("where nothing fits the search names the layout that lacks least") {
  auto question = job();
  question.node.gpu.memory_visible = 1 * unit::kB;
  const auto found = search_layouts(question, 16);
  CHECK(found.fit == 0);
  CHECK_FALSE(found.fastest);
  REQUIRE(found.nearest);
  CHECK(found.nearest->footprint.free < Bytes{});
}

TEST_CASE("a job that fits needs no combination of cures") {
  CHECK_FALSE(find_cures(job()).cheapest);
}

TEST_CASE("every single cure saves memory, and they stand by time lost") {
  const auto cures = find_cures(job()).single;
  REQUIRE_FALSE(cures.empty());
  for (std::size_t i = 0; i < cures.size(); ++i) {
    CHECK(cures[i].saved > Bytes{});
    if (i > 0) CHECK(cures[i - 1].lost <= cures[i].lost);
  }
}

TEST_CASE("a job that lacks a little memory is told a combination that fits") {
  const auto question = with_room(job(), 0.9);
  REQUIRE_FALSE(training_footprint(question).feasible);
  const auto cures = find_cures(question);
  REQUIRE(cures.cheapest);
  auto cured = question;
  cured.settings = cures.cheapest->settings;
  cured.layout = cures.cheapest->layout;
  CHECK(training_footprint(cured).feasible);
  CHECK(training_step(cured).time.base() == Approx(cures.cheapest->step.base()));
}

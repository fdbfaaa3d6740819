#include "gpucap/training/exchange.hpp"

#include "support/catch.hpp"
#include "support/toy_training.hpp"

using namespace gpucap;
using namespace gpucap::training;

namespace {

/// PCIe 3 x16 one way: 16 lanes x 8 GT/s x 128/130 / 8.
const Bandwidth pcie = 16 * 128.0 / 130 * unit::GB_per_s;

double ms(const perf::Work& work) {
  return work.time().in(unit::ms);
}

}  // namespace

TEST_CASE("one rank exchanges nothing") {
  const Question question = toy::training_question();
  Exchange exchange(question);
  const perf::Work work = exchange.all_reduce({1, 1}, 1 * unit::GB);
  CHECK(ms(work) == 0);
  CHECK(work.link_bytes.base() == 0);
}

TEST_CASE("a ring of four cards of one machine sends 2 x 3/4 of the payload at the link's rate") {
  const Question question = toy::training_question(4);
  Exchange exchange(question);
  const perf::Work work = exchange.all_reduce({4, 1}, 160 * unit::MB);
  CHECK(work.link_bytes.in(unit::MB) == Approx(240));
  CHECK(work.time() / (240 * unit::MB / pcie) == Approx(1).epsilon(1e-6));
}

TEST_CASE("between machines each rank sends its part over its share of the NICs") {
  // Eight cards on two machines of four: inside, 3/4 of 80 MB are scattered and gathered; between,
  // 20 MB a rank are reduced over two machines, 2 x 1/2 x 20 MB at a quarter of 2 GB/s: 40 ms.
  Question question = toy::training_question(8);
  Exchange exchange(question);
  const perf::Work work = exchange.all_reduce({8, 1}, 80 * unit::MB);
  const Seconds inside = 2 * (60 * unit::MB / pcie);
  CHECK(ms(work) == Approx(40 + inside.in(unit::ms)));
}

TEST_CASE("ranks that stand four cards apart meet over NICs only") {
  // Tensor parallelism fills each machine, so 2 data-parallel ranks are on two machines:
  // 2 x 1/2 x 80 MB at 0.5 GB/s = 160 ms.
  Question question = toy::training_question(8);
  question.layout.data = 2;
  question.layout.tensor = 4;
  Exchange exchange(question);
  CHECK(ms(exchange.all_reduce(data_group(question.layout), 80 * unit::MB)) == Approx(160));
}

TEST_CASE("machines without NICs cannot be joined") {
  Question question = toy::training_question(8);
  question.node.host.layout.nics = 0;
  CHECK(layout_problem(question).value() ==
        "8 cards are more than the 4 of toy-host, which has no NICs to join machines");
  question.node.host.layout.nics = 1;
  CHECK_FALSE(layout_problem(question).has_value());
}

TEST_CASE("ZeRO-3 moves one and a half times what an all-reduce moves, each micro-batch") {
  // 30 numbers of 2 bytes, four ranks: gather twice and scatter once 3 x 3/4 x 60 = 135 bytes;
  // all-reduce 2 x 3/4 x 60 = 90.
  const Question question = toy::training_question(4);
  Exchange exchange(question);
  const SharedWeights weights{30, 60 * unit::byte, 2, 1};
  const DataTraffic whole = data_traffic(exchange, {4, 1}, 0, weights);
  const DataTraffic sharded = data_traffic(exchange, {4, 1}, 3, weights);
  CHECK(whole.per_step.link_bytes.base() == Approx(90));
  CHECK(whole.per_micro_batch.link_bytes.base() == 0);
  CHECK(sharded.per_micro_batch.link_bytes.base() == Approx(135));
  CHECK(sharded.per_step.link_bytes.base() == 0);
}

TEST_CASE("what hides behind compute is a share of the exchange and no more than the compute") {
  CHECK(exposed(10 * unit::ms, 0.5, 100 * unit::ms).in(unit::ms) == Approx(5));
  CHECK(exposed(10 * unit::ms, 0.9, 4 * unit::ms).in(unit::ms) == Approx(6));
}

TEST_CASE("the slowest of two normal numbers lies half a deviation above the mean") {
  // Exactly 1/sqrt(pi) = 0.564; Blom: quantile of (2 - 3/8) / (2 + 1/4) = 0.7222 is 0.589.
  CHECK(slowest_of(1) == 0);
  CHECK(slowest_of(2) == Approx(0.589).epsilon(0.002));
  CHECK(slowest_of(8) == Approx(1.434).epsilon(0.002));
}

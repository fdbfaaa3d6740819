#include "gpucap/serving/fleet.hpp"

#include "support/catch.hpp"
#include "support/toy.hpp"

using namespace gpucap;

TEST_CASE("one request through the toy card takes what docs/models/serving.md works out by hand") {
  toy::Rows rows;
  serving::simulate(toy::serving_plan(), toy::open_loop({toy::request(0, {0}, 50, 3)}),
                    serving::Router::round_robin, {&rows});
  REQUIRE(rows.rows.size() == 1);
  // Prompt step: 2 layers (3,689.76 us of products + 345.6 of attention) + head 182.53.
  CHECK(as_seconds(rows.rows[0].first_token) == Approx(8253.25e-6).epsilon(1e-5));
  // Decode steps with 51 and 52 tokens of context: 2 (105.45 + 13.06) + 182.53 and 0.51 more.
  CHECK(as_seconds(rows.rows[0].finished) ==
        Approx((8253.25 + 419.54 + 420.06) * 1e-6).epsilon(1e-5));
}

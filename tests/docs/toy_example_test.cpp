#include "gpucap/serving/fleet.hpp"

#include "support/catch.hpp"
#include "support/toy.hpp"

using namespace gpucap;

TEST_CASE("one request through the toy card takes what docs/models/serving.md works out by hand") {
  toy::Rows rows;
  serving::simulate(toy::serving_plan(), toy::open_loop({toy::request(0, {0}, 50, 3)}),
                    serving::Router::round_robin, {&rows});
  REQUIRE(rows.rows.size() == 1);
  // Prompt step: 2 layers (3,764.86 us of products + 345.6 of attention) + head 194.13.
  CHECK(as_seconds(rows.rows[0].first_token) == Approx(8415.06e-6).epsilon(1e-5));
  // Decode steps with 51 and 52 tokens of context: 2 (112.26 + 13.06) + 194.13 and 0.51 more.
  CHECK(as_seconds(rows.rows[0].finished) ==
        Approx((8415.06 + 444.75 + 445.26) * 1e-6).epsilon(1e-5));
}

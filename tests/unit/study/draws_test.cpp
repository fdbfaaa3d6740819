#include "gpucap/study/draws.hpp"

#include <vector>

#include "support/catch.hpp"
#include "support/outcomes.hpp"

using namespace gpucap;
using test::candidate;

namespace {

/// Ten draws in which "a" costs 1, 2, ... 10 and "b" always 4.5.
study::DrawCollector ten_draws() {
  study::DrawCollector draws;
  for (int i = 1; i <= 10; ++i) {
    auto b = candidate("b", 4.5, 2, 1);
    b.feasible = i != 10;
    if (!b.feasible) b.cost.per_million_output_tokens.reset();
    const std::vector both = {candidate("a", i, 1, 2), b};
    draws.add(both);
  }
  return draws;
}

}  // namespace

TEST_CASE("the interval is the middle 80 % of the draws by nearest rank") {
  std::vector outcomes = {candidate("a", 5), candidate("b", 4.5)};
  ten_draws().write(outcomes);
  const auto& cost = outcomes[0].interval.figures.at("cost_per_million_output_tokens");
  CHECK(cost.first == 1);   // rank ceil(0.1 * 10) = 1
  CHECK(cost.second == 9);  // rank ceil(0.9 * 10) = 9
  CHECK(outcomes[0].interval.draws == 10);
}

TEST_CASE("shares count the draws that a candidate won and qualified in") {
  std::vector outcomes = {candidate("a", 5), candidate("b", 4.5)};
  ten_draws().write(outcomes);
  CHECK(outcomes[0].interval.cheapest == Approx(0.5));  // 1 to 4, and 10 where b is infeasible
  CHECK(outcomes[1].interval.cheapest == Approx(0.5));  // 5 to 9
  CHECK(outcomes[0].interval.qualified == 1);
  CHECK(outcomes[1].interval.qualified == Approx(0.9));
  CHECK(outcomes[0].interval.fastest == 1);
  CHECK(outcomes[1].interval.least_energy == Approx(0.9));
}

TEST_CASE("a figure that does not exist in a draw is left out of its interval") {
  std::vector outcomes = {candidate("a", 5), candidate("b", 4.5)};
  ten_draws().write(outcomes);
  CHECK(outcomes[1].interval.figures.at("cost_per_million_output_tokens") ==
        std::pair<double, double>{4.5, 4.5});
  CHECK(outcomes[1].interval.figures.count("ttft_p95_s") == 0);
}

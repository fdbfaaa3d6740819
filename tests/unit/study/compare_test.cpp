#include "gpucap/study/compare.hpp"

#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/outcomes.hpp"

using namespace gpucap;
using study::why_not;
using study::winners;
using test::candidate;

namespace {
evaluate::Outcome overloaded(evaluate::Outcome outcome, std::optional<std::string> reason) {
  outcome.overloaded = true;
  outcome.reason = std::move(reason);
  return outcome;
}
evaluate::Outcome missing_slo(evaluate::Outcome outcome) {
  outcome.slo_met = false;
  outcome.slo_misses = {"ttft_p95 2.70 s > 2 s"};
  return outcome;
}
}  // namespace

TEST_CASE("each criterion has its own winner") {
  const std::vector list = {candidate("a", 0.74, 9, 1.7), candidate("b", 1.11, 3, 0.9),
                            candidate("c", 0.88, 5, 0.8)};
  const auto best = winners(list);
  CHECK(best.cost == 0);
  CHECK(best.latency == 1);
  CHECK(best.energy == 2);
  CHECK(study::runner_up(list, 0) == 2);  // 0.88 < 1.11
}

TEST_CASE("infeasible, overloaded and SLO-missing candidates never win, however cheap") {
  auto infeasible = candidate("a", 0.01, 0.1, 0.1);
  infeasible.feasible = false;
  const std::vector list = {infeasible, overloaded(candidate("b", 0.02, 0.1, 0.1), "late"),
                            missing_slo(candidate("c", 0.03, 0.1, 0.1)),
                            candidate("d", 5, 50, 500)};
  const auto best = winners(list);
  CHECK(best.cost == 3);
  CHECK(best.latency == 3);
  CHECK(best.energy == 3);
}

TEST_CASE("of equal costs the faster wins, of equal speed the first listed") {
  auto slow = candidate("slow", 0.5);
  slow.e2e_s.p95 = 1e9;
  auto fast = candidate("fast", 0.5);
  fast.e2e_s.p95 = 2;
  CHECK(winners(std::vector{slow, fast}).cost == 1);
  const std::vector list = {candidate("a", 0.5), candidate("b", 0.5)};
  CHECK(winners(list).cost == 0);
  CHECK(why_not(list[1], &list[0]) ==
        "the same cost per output token, slower or listed later; bottleneck memory_bandwidth");
}

TEST_CASE("an absent or non-finite value never wins; without any there is no winner") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(winners(std::vector{candidate("a", std::nullopt), candidate("b", 9)}).cost == 1);
  CHECK(winners(std::vector{candidate("a", nan), candidate("b", 9)}).cost == 1);
  const auto none = winners(std::vector{candidate("a", std::nullopt)});
  CHECK_FALSE(none.cost.has_value());
  CHECK_FALSE(none.latency.has_value());
  CHECK_FALSE(winners({}).cost.has_value());
}

TEST_CASE("each kind of loser has its reason in one line") {
  const auto cheapest = candidate("a", 0.74);
  auto infeasible = candidate("b", std::nullopt);
  infeasible.feasible = false;
  infeasible.reason = "weights need 14.9 GiB, the card shows 7.8";
  CHECK(why_not(infeasible, &cheapest) == "weights need 14.9 GiB, the card shows 7.8");
  CHECK(why_not(overloaded(candidate("c", 1), "1.4 of 3.0/s served"), &cheapest) ==
        "overloaded: 1.4 of 3.0/s served");
  CHECK(why_not(overloaded(candidate("c", 1), "overloaded: 1.4 of 3.0/s served"), &cheapest) ==
        "overloaded: 1.4 of 3.0/s served");
  auto slow = missing_slo(candidate("d", 0.74));
  slow.bottleneck = perf::Cause::link;
  CHECK(why_not(slow, &cheapest) == "link: ttft_p95 2.70 s > 2 s");
  // 1.11 / 0.74 = 1.5
  CHECK(why_not(candidate("e", 1.11), &cheapest) ==
        "1.50x the cost per output token; bottleneck memory_bandwidth");
  // 0.7415 / 0.74 = 1.0020, which two decimals would call 1.00x
  CHECK(why_not(candidate("f", 0.7415), &cheapest) ==
        "less than 0.5 % above in cost per output token; bottleneck memory_bandwidth");
  CHECK(why_not(candidate("g", std::nullopt), &cheapest) ==
        "price unknown; bottleneck memory_bandwidth");
}

#include "gpucap/report/run_text.hpp"

#include "gpucap/report/columns.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "support/outcomes.hpp"

using namespace gpucap;
using report::RunReport;

namespace {
RunReport two_candidates() {
  auto cheap = test::candidate("2x rtx-4090", 0.74, 3.0, 1.7);
  cheap.cost.per_hour = 0.8;
  cheap.e2e_s.n = 10000;
  cheap.slo_met = true;
  auto dear = test::candidate("1x a100", 1.11, 2.0, 0.9);
  dear.slo_met = true;
  dear.notes = {"prices are 100 days old"};
  cheap.cost.notes = {"prices are 100 days old"};
  return {"rag", {"rag: 3/s"}, {{"3/s", {cheap, dear}}}};
}

std::size_t position(const report::Listing& listing, const std::string& name) {
  const auto at = std::find_if(listing.fields.begin(), listing.fields.end(),
                               [&](const auto& field) { return field.name == name; });
  REQUIRE(at != listing.fields.end());
  return static_cast<std::size_t>(at - listing.fields.begin());
}
}  // namespace

TEST_CASE("the verdict names winner, margin, the other winners and why the rest loses") {
  // 1 - 0.74 / 1.11 = 0.3333
  CHECK(report::verdict_text(two_candidates().loads[0]) ==
        "Verdict  2x rtx-4090: 0.74 EUR per million output tokens, 33 % below 1x a100.\n"
        "         Lowest latency (e2e p95): 1x a100. Least energy: 1x a100 (power assumed, not "
        "measured).\n"
        "Others   1x a100: 1.50x the cost per output token; bottleneck memory_bandwidth\n");
}

TEST_CASE("when nothing qualifies the verdict says so and gives each reason") {
  auto outcome = test::candidate("a", std::nullopt);
  outcome.overloaded = true;
  outcome.reason = "1.4 of 3.0/s served";
  CHECK(report::verdict_text({"", {outcome}}) ==
        "Verdict  nothing qualifies: every candidate is infeasible, overloaded or misses the SLO.\n"
        "Others   a: overloaded: 1.4 of 3.0/s served\n");
}

TEST_CASE("the winner by cost alone is marked in the table") {
  const auto table = report::run_table(two_candidates().loads[0], Currency::parse("EUR"));
  CHECK(table.marked == std::vector<bool>{true, false});
  CHECK(table.rows[1].back() == "memory_bandwidth 100 %");
}

TEST_CASE("at 80 columns the name, the cost and the limit stay") {
  const std::string text = report::run_text(two_candidates(), 80);
  CHECK(text.find("per 1M out") != std::string::npos);
  CHECK(text.find("LIMIT") != std::string::npos);
  CHECK(text.find("Not shown for lack of width:") != std::string::npos);
  CHECK(report::run_text(two_candidates(), std::nullopt).find("J/out tok") != std::string::npos);
}

TEST_CASE("a note that is true of several candidates is told once") {
  CHECK(report::run_notes(two_candidates()) ==
        std::vector<std::string>{"2x rtx-4090, 1x a100: prices are 100 days old"});
}

TEST_CASE("summary has one row per load and candidate, the currency in its cost names") {
  auto run = two_candidates();
  run.loads.push_back({"6/s", {test::candidate("2x rtx-4090", std::nullopt)}});
  const auto listing = report::summary(run);
  REQUIRE(listing.rows.size() == 3);
  const auto cost = position(listing, "cost_eur_per_million_output_tokens");
  CHECK(std::get<double>(listing.rows[1][cost]) == 1.11);
  CHECK(std::holds_alternative<std::monostate>(listing.rows[2][cost]));
  CHECK(std::get<std::string>(listing.rows[0][position(listing, "wins")]) == "cost");
  CHECK(std::get<std::string>(listing.rows[1][position(listing, "wins")]) == "latency energy");
  CHECK(std::get<double>(listing.rows[1][position(listing, "relative_cost")]) ==
        Approx(1.5).epsilon(1e-12));
  CHECK(std::get<std::int64_t>(listing.rows[0][position(listing, "e2e_n")]) == 10000);
}

TEST_CASE("column names are unique, snake_case and free of a currency that does not exist") {
  std::vector<std::string> names;
  for (const auto& column : report::outcome_columns(std::nullopt))
    names.push_back(column.field.name);
  CHECK(std::find(names.begin(), names.end(), "cost_per_hour") != names.end());
  for (const auto& name : names) {
    CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos);
  }
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}

TEST_CASE("two currencies in one comparison are a broken invariant") {
  auto run = two_candidates();
  run.loads[0].candidates[1].cost.currency = Currency::parse("USD");
  CHECK_THROWS_AS(report::currency_of(run), std::logic_error);
}

TEST_CASE("details leave out what does not exist") {
  const auto listing = report::details(test::candidate("a", 0.74));
  const auto has = [&](const std::string& name) {
    return std::any_of(listing.rows.begin(), listing.rows.end(),
                       [&](const auto& row) { return std::get<std::string>(row[0]) == name; });
  };
  CHECK(has("cost_eur_per_million_output_tokens"));
  CHECK_FALSE(has("ttft_p95_s"));
}

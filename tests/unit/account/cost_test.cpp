#include "gpucap/account/cost.hpp"

#include <stdexcept>

#include "support/catch.hpp"

using namespace gpucap;
using account::price_given;
using account::RentedWork;
using account::summarize_cost;

namespace {

const Currency eur = *Currency::parse("EUR");
const Currency usd = *Currency::parse("USD");

account::Price by_minute(double dollars) {
  account::Price price = price_given({to_micro(dollars), usd});
  price.billing.step = 1 * unit::minute;
  return price;
}

/// The example of docs/models/cost.md: 61 s held, 45 s busy, 12 answers of 100 tokens.
RentedWork example() {
  return {61 * unit::s, 45 * unit::s, 12, 18'000, 1'200};
}

account::CostSummary costs_of(const RentedWork& work, const account::Price& price,
                              double hours_per_month = 730) {
  return *summarize_cost(work, price, std::nullopt, {}, hours_per_month);
}

}  // namespace

TEST_CASE("the whole bill is divided by requests, input, output and total tokens") {
  const auto costs = costs_of(example(), by_minute(3.60));
  CHECK(costs.run == Approx(0.12));                // 120 s of 3.60/h
  CHECK(costs.per_1000_requests == Approx(10.0));  // 0.12 / 12 x 1000
  CHECK(costs.per_million_input_tokens == Approx(0.12 / 0.018));
  CHECK(costs.per_million_output_tokens == Approx(100.0));  // 0.12 / 1200 x 1e6
  CHECK(costs.per_million_total_tokens == Approx(0.12 / 0.0192));
  CHECK(costs.idle_share == Approx(0.625));  // 1 - 45/120
}

TEST_CASE("case S05: 0.50 per hour at 1250.59 tokens/s, 624 of them output, is 0.111 and 0.223") {
  // One hour: 0.50 / (1250.59 x 3600) x 1e6 = 0.1111; 0.50 / (624 x 3600) x 1e6 = 0.2226.
  const RentedWork hour{1 * unit::hour, 1 * unit::hour, 1, 2'255'724, 2'246'400};
  const auto costs = costs_of(hour, price_given({500'000, usd}));
  CHECK(costs.per_million_total_tokens == Approx(0.111).epsilon(0.005));
  CHECK(costs.per_million_output_tokens == Approx(0.223).epsilon(0.005));
  CHECK(costs.idle_share == Approx(0).margin(1e-12));
}

TEST_CASE("a month at 2.00 per hour is 1440, 1460 or 1488 by its hours, and the note says which") {
  CHECK(costs_of(example(), by_minute(2), 720).per_month == Approx(1440));
  CHECK(costs_of(example(), by_minute(2)).per_month == Approx(1460));
  const auto costs = costs_of(example(), by_minute(2), 744);
  CHECK(costs.per_month == Approx(1488));
  CHECK(costs.notes.back() == "a month is 744 h");
}

TEST_CASE("a missing price leaves every figure absent, a stated 0 gives 0") {
  const auto unknown = *summarize_cost(example(), std::nullopt, eur, {});
  CHECK_FALSE(unknown.currency.has_value());
  CHECK_FALSE(unknown.run.has_value());
  CHECK_FALSE(unknown.per_hour.has_value());
  CHECK_FALSE(unknown.per_million_output_tokens.has_value());
  CHECK(unknown.notes == std::vector<std::string>{"price unknown"});
  CHECK(costs_of(example(), by_minute(0)).run == 0.0);
}

TEST_CASE("nothing finished gives no cost per request or token, but a bill") {
  const auto costs = costs_of({61 * unit::s, 0 * unit::s, 0, 0, 0}, by_minute(3.60));
  CHECK(costs.run == Approx(0.12));
  CHECK_FALSE(costs.per_1000_requests.has_value());
  CHECK_FALSE(costs.per_million_output_tokens.has_value());
  CHECK_FALSE(costs.per_million_total_tokens.has_value());
  CHECK(costs.idle_share == Approx(1.0));
}

TEST_CASE("a small item keeps its digits: one of 10,000 requests for 0.042 costs 0.0000042") {
  const RentedWork work{42 * unit::s, 42 * unit::s, 10'000, 1, 1};
  CHECK(*costs_of(work, price_given({3'600'000, usd})).per_1000_requests / 1000 ==
        Approx(0.0000042));
}

TEST_CASE("the bill rounds in its own currency before it is converted") {
  // 120 s of 3.60 USD = 0.12 USD; at 1.0411 USD per EUR 0.115263 EUR.
  const pricing::FxTable fx({{eur, usd, 1.0411, "2025-02-28", "ECB"}});
  const auto costs = *summarize_cost(example(), by_minute(3.60), eur, fx);
  CHECK(costs.currency == eur);
  CHECK(costs.billed == Money{120'000, usd});
  CHECK(costs.run == Approx(0.115263));
  CHECK(costs.notes.back() == "converted from USD: 1 EUR = 1.0411 USD, 2025-02-28, ECB");
}

TEST_CASE("mixed currencies without a rate are a failure, not a guess") {
  const auto costs = summarize_cost(example(), by_minute(3.60), eur, {});
  REQUIRE_FALSE(costs);
  CHECK(costs.failure().code == "missing-fx");
}

TEST_CASE("an offer hands its id, billing rule and flags to the costs") {
  pricing::Offer offer;
  offer.provider = "hivenet";
  offer.gpu = "rtx-4090";
  offer.count = 4;
  offer.price = {1'600'000, eur};
  offer.billing.step = 1 * unit::minute;
  offer.observed = pricing::Date::parse("2026-06-13");
  const auto costs = costs_of(example(), account::price_of(derived_offer(offer, 2)));
  CHECK(costs.offer == "hivenet/rtx-4090-x2@2026-06-13");
  CHECK(costs.notes.front() == "derived: 2 of 4 cards");
  CHECK(costs.billed->micro == 26'667);  // 0.80 x 120/3600
}

TEST_CASE("busy beyond billed time and a month without hours are broken inputs") {
  CHECK_THROWS_AS(costs_of({1 * unit::s, 2 * unit::s, 0, 0, 0}, price_given({1, usd})),
                  std::invalid_argument);
  CHECK_THROWS_AS(costs_of(example(), by_minute(1), 0), std::invalid_argument);
}

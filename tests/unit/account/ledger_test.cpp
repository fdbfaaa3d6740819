#include "gpucap/account/ledger.hpp"

#include "support/catch.hpp"

using namespace gpucap;
using account::ledger_of;

namespace {
const Currency usd = *Currency::parse("USD");
const pricing::Date day = *pricing::Date::parse("2026-11-09");

account::Price droplet(std::int64_t micro) {
  account::Price price;
  price.per_hour = {micro, usd};
  price.billing.minimum = 60 * unit::s;
  price.billing.minimum_charge = Money{10'000, usd};
  price.provider = "DigitalOcean GPU Droplets";
  price.sku = "gpu-l40sx1-48gb";
  return price;
}
}  // namespace

TEST_CASE("a line of hours: billed, consumed and list figures agree with the rule") {
  // 90 s at 3.60/h by the second: 0.025 h, 0.09 USD.
  const auto lines = ledger_of(droplet(3'600'000), 90 * unit::s, day, "1x l40s");
  REQUIRE(lines.size() == 1);
  const auto& line = lines.front();
  CHECK(line.billed_cost == Money{90'000, usd});
  CHECK(line.list_cost == line.billed_cost);
  CHECK(line.list_unit_price->amount() * *line.pricing_quantity ==
        Approx(line.list_cost->amount()));
  CHECK(line.consumed_quantity == Approx(0.025));
  CHECK(line.charge_period_start == "2026-11-09T00:00:00Z");
  CHECK(line.charge_period_end == "2026-11-09T00:01:30Z");
  CHECK(line.x_candidate == "1x l40s");
}

TEST_CASE("a minimum charge is a line of its own and the lines add up to the bill") {
  // 20 s of 0.06/h: 60 s = 0.001, the charge of 0.01 adds 0.009.
  const account::Price price = droplet(60'000);
  const auto lines = ledger_of(price, 20 * unit::s, day, "c");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].billed_cost.micro == 1'000);
  CHECK(lines[1].billed_cost.micro == 9'000);
  CHECK_FALSE(lines[1].pricing_quantity.has_value());
  CHECK(lines[0].billed_cost + lines[1].billed_cost ==
        pricing::bill(price.billing, price.per_hour, 20 * unit::s));
}

TEST_CASE("a spot or committed price is no list price") {
  account::Price price = droplet(3'600'000);
  price.term = pricing::Term::spot;
  const auto lines = ledger_of(price, 90 * unit::s, day, "c");
  CHECK_FALSE(lines[0].list_cost.has_value());
  CHECK_FALSE(lines[0].list_unit_price.has_value());
  CHECK(lines[0].billed_cost.micro == 90'000);
}

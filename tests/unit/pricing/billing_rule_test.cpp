#include "gpucap/pricing/billing_rule.hpp"

#include "gpucap/units/parse.hpp"

#include <stdexcept>

#include "support/catch.hpp"

using namespace gpucap;
using pricing::bill;
using pricing::billed_time;
using pricing::BillingRule;

namespace {

MoneyPerHour price(std::string_view text) {
  return *parse_price(text);
}

BillingRule by(Seconds step) {
  BillingRule rule;
  rule.step = step;
  return rule;
}

/// DigitalOcean since 2026: by the second, 60 s or USD 0.01 at least.
BillingRule droplet() {
  BillingRule rule = by(1 * unit::s);
  rule.minimum = 60 * unit::s;
  rule.minimum_charge = Money{10'000, *Currency::parse("USD")};
  return rule;
}

}  // namespace

TEST_CASE("61 s at 3.60 per hour cost 0.061 by the second, 0.12 by the minute, 3.60 by the hour") {
  // 3.60/3600 = 0.001 per second; 61, 120 and 3600 billed seconds.
  CHECK(bill(by(1 * unit::s), price("3.60 USD/h"), 61 * unit::s).micro == 61'000);
  CHECK(bill(by(1 * unit::minute), price("3.60 USD/h"), 61 * unit::s).micro == 120'000);
  CHECK(bill(by(1 * unit::hour), price("3.60 USD/h"), 61 * unit::s).micro == 3'600'000);
}

TEST_CASE("a whole number of steps is not billed one step too much") {
  CHECK(billed_time(by(1 * unit::minute), 120 * unit::s).in(unit::s) == Approx(120));
  CHECK(billed_time(by(1 * unit::minute), 120.001 * unit::s).in(unit::s) == Approx(180));
}

TEST_CASE("26 h at 1.00 per hour cost 26.00: days are not lost") {
  CHECK(bill(by(1 * unit::s), price("1.00 USD/h"), 26 * unit::hour).micro == 26'000'000);
}

TEST_CASE("the time used is billed, by the minute: 2 h 9 min at 0.60 per hour are 1.29") {
  // 129 min x 0.01 = 1.29; a requested limit plays no part.
  CHECK(bill(by(1 * unit::minute), price("0.60 EUR/h"), 129 * unit::minute).micro == 1'290'000);
}

TEST_CASE("case B03: 20 s of a Droplet are billed as 60 s or 0.01 USD, whichever is more") {
  CHECK(billed_time(droplet(), 20 * unit::s).in(unit::s) == Approx(60));
  // 3.60/h: 60 s cost 0.06, above the minimum charge.
  CHECK(bill(droplet(), price("3.60 USD/h"), 20 * unit::s).micro == 60'000);
  // 0.06/h: 60 s cost 0.001, so the charge of 0.01 holds; 0.009 of it is the top-up.
  CHECK(bill(droplet(), price("0.06 USD/h"), 20 * unit::s).micro == 10'000);
  CHECK(top_up(droplet(), price("0.06 USD/h"), 20 * unit::s).micro == 9'000);
  // Before 2026: one full hour.
  BillingRule hourly = by(1 * unit::hour);
  CHECK(billed_time(hourly, 20 * unit::s).in(unit::hour) == Approx(1));
}

TEST_CASE("case B09: 8 minutes at 5.5 per hour in steps of 15 minutes cost 1.375") {
  CHECK(bill(by(15 * unit::minute), price("5.5 USD/h"), 8 * unit::minute).micro == 1'375'000);
}

TEST_CASE("case B15: two cards for 60 s by the second cost 120 s of one card") {
  const Money pair = bill(by(1 * unit::s), price("3.60 USD/h"), 60 * unit::s);  // 2 x 1.80
  const Money one = bill(by(1 * unit::s), price("1.80 USD/h"), 120 * unit::s);
  CHECK(pair.micro == one.micro);
  CHECK(pair.micro == 60'000);
}

TEST_CASE("a bill is exact for years and rounds to the nearest micro-unit") {
  // 98.32/h for 10 years of 8760 h = 8,612,832.00.
  CHECK(bill(by(1 * unit::s), price("98.32 USD/h"), 87'600 * unit::hour).micro ==
        8'612'832'000'000);
  // 0.34/h for 1 s = 94.44 micro-units; for 16 s 1511.11; for 15 s 1416.67.
  CHECK(bill(by(1 * unit::s), price("0.34 USD/h"), 1 * unit::s).micro == 94);
  CHECK(bill(by(1 * unit::s), price("0.34 USD/h"), 15 * unit::s).micro == 1417);
}

TEST_CASE("a stated price of 0 is legal and bills 0") {
  CHECK(bill(by(1 * unit::s), price("0 EUR/h"), 1 * unit::hour).micro == 0);
}

TEST_CASE("negative time, a step of zero and a foreign minimum charge are refused") {
  const MoneyPerHour p = price("1 EUR/h");
  CHECK_THROWS_AS(bill(by(1 * unit::s), p, -1 * unit::s), std::invalid_argument);
  CHECK_THROWS_AS(bill(by(0 * unit::s), p, 1 * unit::s), std::invalid_argument);
  CHECK_THROWS_AS(bill(droplet(), p, 1 * unit::s), std::invalid_argument);
}

#include "gpucap/pricing/fx_table.hpp"

#include <stdexcept>

#include "support/catch.hpp"

using namespace gpucap;
using pricing::FxTable;

namespace {
const Currency eur = *Currency::parse("EUR");
const Currency usd = *Currency::parse("USD");
const Currency chf = *Currency::parse("CHF");
const FxTable table({{eur, usd, 1.0411, "2025-02-28", "European Central Bank"}});
}  // namespace

TEST_CASE("a stated pair converts both ways: 1.60 EUR are 1.66576 USD, 1.0411 USD are 1 EUR") {
  CHECK((*table.convert(MoneyPerHour{1'600'000, eur}, usd)).micro == 1'665'760);
  CHECK((*table.convert(Money{1'041'100, usd}, eur)).micro == 1'000'000);
}

TEST_CASE("within one currency nothing is touched, even amounts beyond 2^53") {
  CHECK((*table.convert(Money{9'007'199'254'740'993, chf}, chf)).micro == 9'007'199'254'740'993);
  CHECK_FALSE(table.note(chf, chf).has_value());
}

TEST_CASE("a missing pair is a failure that names both currencies") {
  const auto converted = table.convert(Money{1, chf}, eur);
  REQUIRE_FALSE(converted);
  CHECK(converted.failure().code == "missing-fx");
  CHECK(converted.failure().message.find("CHF/EUR") != std::string::npos);
}

TEST_CASE("a conversion carries the rate, its date and its source") {
  CHECK(table.note(usd, eur) ==
        "converted from USD: 1 EUR = 1.0411 USD, 2025-02-28, European Central Bank");
}

TEST_CASE("a rate that is not positive is refused") {
  CHECK_THROWS_AS(FxTable({{eur, usd, 0, "", ""}}), std::invalid_argument);
}

#include "gpucap/pricing/date.hpp"

#include "support/catch.hpp"

using namespace gpucap;
using pricing::Date;
using pricing::days_between;

TEST_CASE("days that do not exist and other forms are no dates") {
  CHECK(Date::parse("2026-02-28").has_value());
  CHECK_FALSE(Date::parse("2026-02-29").has_value());
  CHECK(Date::parse("2024-02-29").has_value());
  CHECK_FALSE(Date::parse("2026-13").has_value());
  CHECK_FALSE(Date::parse("22.08.2026").has_value());
  CHECK_FALSE(Date::parse("2026-8-22").has_value());
  CHECK_FALSE(Date::parse("undated").has_value());
}

TEST_CASE("22 August to 9 November 2026 are 79 days, and minus 79 the other way") {
  // 9 to the end of August, 30 in September, 31 in October, 9 in November.
  const Date august = *Date::parse("2026-08-22");
  const Date november = *Date::parse("2026-11-09");
  CHECK(days_between(august, november) == 79);
  CHECK(days_between(november, august) == -79);
}

TEST_CASE("a month without a day counts from its first day and comes before its days") {
  CHECK(days_between(*Date::parse("2025-12"), *Date::parse("2026-01-01")) == 31);
  CHECK(*Date::parse("2025-12") < *Date::parse("2025-12-01"));
  CHECK(Date::parse("2025-12")->text() == "2025-12");
}

TEST_CASE("an instant passes midnight and the end of the year") {
  // 25 h 1 min 0.5 s after 31 December 2026: 1 January, 01:01:01 when rounded up.
  CHECK(utc_instant(*Date::parse("2026-12-31"), 25 * unit::hour + 60.5 * unit::s) ==
        "2027-01-01T01:01:01Z");
}

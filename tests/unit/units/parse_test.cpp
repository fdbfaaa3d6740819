#include "gpucap/units/parse.hpp"

#include "support/catch.hpp"

using namespace gpucap;

TEST_CASE("24 GB is 22,888 MiB: decimal and binary bytes are kept apart") {
  CHECK((*parse_bytes("24GB")).in(unit::MiB) == Approx(22888.18));
  CHECK((*parse_bytes("80 GiB")).in(unit::GiB) == Approx(80));
}

TEST_CASE("a bare G for a size is refused with the units that exist") {
  const auto size = parse_bytes("80 G");
  REQUIRE_FALSE(size);
  CHECK(size.failure().code == "unknown-unit");
  CHECK(size.failure().message.find("GiB") != std::string::npos);
}

TEST_CASE("a number without unit shows how to write it") {
  const auto rate = parse_rate("3");
  REQUIRE_FALSE(rate);
  CHECK(rate.failure().message == "\"3\" has no unit; write for example \"3/s\"");
}

TEST_CASE("120 per minute is 2 per second") {
  CHECK((*parse_rate("120/min")).in(unit::per_s) == Approx(2));
}

TEST_CASE("a price needs its currency and its hour") {
  CHECK((*parse_price("1.20 EUR/h")).micro == 1200000);
  CHECK((*parse_price("1.20EUR/h")).currency.code() == "EUR");
  CHECK(parse_price("1.20").failure().code == "unknown-unit");
  CHECK(parse_price("1.20 /h").failure().code == "missing-currency");
}

TEST_CASE("words, infinities and trailing characters are not numbers") {
  CHECK_FALSE(parse_number("nan"));
  CHECK_FALSE(parse_number("inf"));
  CHECK_FALSE(parse_number("12x"));
  CHECK_FALSE(parse_count("1.5"));
  CHECK(*parse_count("10251184259") == 10251184259);
}

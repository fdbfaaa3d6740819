#include "gpucap/pricing/price_book.hpp"

#include <algorithm>

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::pricing;

namespace {

Offer card(std::string tier, double dollars, std::string_view date, std::string region = "") {
  Offer offer;
  offer.provider = "runpod";
  offer.gpu = "rtx-4090";
  offer.scope = PriceScope::gpu;
  offer.tier = std::move(tier);
  offer.price = {to_micro(dollars), *Currency::parse("USD")};
  offer.observed = Date::parse(date);
  offer.region = std::move(region);
  return offer;
}

PriceBook book() {
  Offer illustration = card("secure", 0.59, "2026-12-01");
  illustration.quality = Quality::c;
  return PriceBook({card("secure", 0.74, "2026-08-22"), card("secure", 0.69, "2026-09-25"),
                    card("community", 0.34, "2026-09-07"), card("secure", 0.50, ""), illustration});
}

}  // namespace

TEST_CASE(
    "without a date the newest dated price is meant, an illustration only as the last resort") {
  CHECK((*book().find("runpod/rtx-4090-x1-secure")).price.micro == 690'000);
  CHECK((*book().find("runpod/rtx-4090-x1-secure@2026-08-22")).price.micro == 740'000);
  CHECK((*book().find("runpod/rtx-4090-x1-secure@undated")).price.micro == 500'000);
  CHECK((*book().find("runpod/rtx-4090-x1-secure@2026-12-01")).price.micro == 590'000);
}

TEST_CASE("a count that is not quoted comes from the newest price per card and says so") {
  const auto pair = book().find("runpod/rtx-4090-x2-secure");
  REQUIRE(pair);
  CHECK((*pair).price.micro == 1'380'000);  // 2 x 0.69
  CHECK((*pair).derived == "derived: 2 x the price per card quoted for 1");
  CHECK((*pair).dated_id() == "runpod/rtx-4090-x2-secure@2026-09-25");
}

TEST_CASE("an undated quote gives way to a dated price per card, a dated one does not") {
  // Two cards: 1.00 as quoted, 2 x 0.69 from the newest price per card.
  Offer pair = card("secure", 1.00, "");
  pair.count = 2;
  pair.scope = PriceScope::instance;
  std::vector<Offer> offers = {pair, card("secure", 0.69, "2026-09-25")};
  CHECK((*PriceBook(offers).find("runpod/rtx-4090-x2-secure")).price.micro == 1'380'000);
  CHECK((*PriceBook(offers).find("runpod/rtx-4090-x2-secure@undated")).price.micro == 1'000'000);
  CHECK(PriceBook(offers).list()[1].price.micro == 1'380'000);
  offers[0].observed = Date::parse("2026-08-22");
  CHECK((*PriceBook(offers).find("runpod/rtx-4090-x2-secure")).price.micro == 1'000'000);
}

TEST_CASE("a price of a node is never turned into one of another count by asking") {
  Offer node = card("", 1.60, "2026-06-13");
  node.scope = PriceScope::instance;
  node.count = 4;
  CHECK_FALSE(PriceBook({node}).find("runpod/rtx-4090-x2"));
}

TEST_CASE(
    "an unknown offer names the nearest, a missing tier the tiers, a missing date the dates") {
  CHECK(book().find("runpod/rtx-4091-x1-secure").failure().message ==
        "unknown offer \"runpod/rtx-4091-x1-secure\"; did you mean \"runpod/rtx-4090-x1-secure\"?");
  const auto tier = book().find("runpod/rtx-4090-x1");
  CHECK(tier.failure().code == "ambiguous-name");
  CHECK(tier.failure().message.find("runpod/rtx-4090-x1-community, runpod/rtx-4090-x1-secure") !=
        std::string::npos);
  CHECK(book().find("runpod/rtx-4090-x1-community@2020-01-01").failure().message ==
        "offer \"runpod/rtx-4090-x1-community\" has no price of 2020-01-01; known: "
        "runpod/rtx-4090-x1-community@2026-09-07");
  CHECK_FALSE(book().find("runpod/rtx-4090-x0-secure"));
  CHECK_FALSE(book().find(""));
}

TEST_CASE("of equal ids of one date the cheapest is kept, then the region that sorts first") {
  std::vector<Offer> offers = {card("", 0.136, "2026-08-22", "us"),
                               card("", 0.135, "2026-08-22", "us"),
                               card("", 0.135, "2026-08-22", "eu")};
  for (int turn = 0; turn < 3; ++turn) {
    const PriceBook one(offers);
    REQUIRE(one.offers().size() == 1);
    CHECK(one.offers().front().price.micro == 135'000);
    CHECK(one.offers().front().region == "eu");
    std::rotate(offers.begin(), offers.begin() + 1, offers.end());
  }
}

TEST_CASE("a list holds one offer per id unless all dates are asked for") {
  CHECK(book().list().size() == 2);
  CHECK(book().list()[1].price.micro == 690'000);
  OfferFilter filter;
  filter.newest_only = false;
  CHECK(book().list(filter).size() == 5);
  filter.gpu = "a40";
  CHECK(book().list(filter).empty());
  OfferFilter pairs;
  pairs.least_cards = 2;
  CHECK(book().list(pairs).empty());
}

#include "gpucap/pricing/offer.hpp"

#include <stdexcept>

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::pricing;

namespace {
Offer four_cards() {
  Offer offer;
  offer.provider = "hivenet";
  offer.gpu = "rtx-4090";
  offer.count = 4;
  offer.price = {1'600'000, *Currency::parse("EUR")};
  offer.observed = Date::parse("2026-06-13");
  offer.ram = 192 * unit::GB;
  return offer;
}
}  // namespace

TEST_CASE("two of four cards cost half, say so, and leave the node of four alone") {
  const Offer node = four_cards();
  const Offer pair = derived_offer(node, 2);
  CHECK(pair.price.micro == 800'000);
  CHECK(pair.id() == "hivenet/rtx-4090-x2");
  CHECK(pair.derived == "derived: 2 of 4 cards");
  CHECK_FALSE(pair.ram.has_value());
  CHECK_FALSE(node.derived.has_value());
  CHECK(derived_offer(node, 4).price.micro == 1'600'000);
  CHECK_FALSE(derived_offer(node, 4).derived.has_value());
}

TEST_CASE("more cards than the node has are several nodes, a price per card counts per card") {
  Offer one = derived_offer(four_cards(), 1);
  one.derived.reset();
  CHECK(derived_offer(one, 2).derived ==
        "derived: 2 x the price of a 1-card node, no 2-card node is quoted");
  one.scope = PriceScope::gpu;
  CHECK(derived_offer(one, 3).derived == "derived: 3 x the price per card quoted for 1");
  CHECK(derived_offer(one, 3).price.micro == 1'200'000);
  CHECK_THROWS_AS(derived_offer(one, 0), std::invalid_argument);
}

TEST_CASE("case B14: two cards at 1.20 cost 0.706 of one at 3.40") {
  Offer consumer = four_cards();
  consumer.count = 1;
  consumer.scope = PriceScope::gpu;
  consumer.price.micro = 1'200'000;
  const double ratio = derived_offer(consumer, 2).price.amount() / 3.40;  // 2.40 / 3.40
  CHECK(ratio == Approx(0.706).epsilon(0.001));
}

TEST_CASE("a form factor that the quote leaves open matches only with a note") {
  Offer droplet = four_cards();
  droplet.gpu = "h100-sxm-80gb";
  droplet.gpu_assumed = "form factor not stated: SXM assumed";
  droplet.or_gpus = {"h100-pcie-80gb"};
  CHECK(match_gpu(droplet, "h100-sxm-80gb").note == "form factor not stated: SXM assumed");
  CHECK(match_gpu(droplet, "h100-pcie-80gb").note ==
        "the offer does not name the variant; taken as h100-pcie-80gb");
  CHECK_FALSE(match_gpu(droplet, "h200-sxm").matches);
  CHECK_FALSE(match_gpu(four_cards(), "rtx-4090").note.has_value());
}

TEST_CASE("flags name what weakens a price") {
  Offer offer = derived_offer(four_cards(), 2);
  offer.observed.reset();
  offer.quality = Quality::c;
  offer.term = Term::spot;
  CHECK(flags(offer) == std::vector<std::string>{"derived: 2 of 4 cards", "illustration only",
                                                 "undated", "spot: may be reclaimed"});
  CHECK(flags(four_cards()).empty());
}

TEST_CASE("a price of 13 June 2026 is 149 days old on 9 November; an undated one has no age") {
  // 17 + 31 + 31 + 30 + 31 + 9 = 149
  Offer offer = four_cards();
  CHECK(staleness(offer, *Date::parse("2026-11-09")).days == 149);
  CHECK(staleness(offer, *Date::parse("2026-06-12")).days == -1);
  CHECK(staleness(offer, *Date::parse("2026-06-12")).text ==
        "price seen 2026-06-13, 1 days after 2026-06-12");
  Offer undated = offer;
  undated.observed.reset();
  CHECK_FALSE(staleness(undated, *Date::parse("2026-11-09")).days.has_value());
  CHECK(newest_date({undated, offer}) == offer.observed);
  CHECK_FALSE(newest_date({undated}).has_value());
}

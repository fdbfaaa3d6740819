#include "gpucap/catalog/offers.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "support/catch.hpp"

using namespace gpucap;
using catalog::JsonDocument;
using pricing::Offer;

namespace {

const std::vector<std::string> gpus = {"rtx-4090", "a100-pcie-80gb"};

std::string file_with(const std::string& row, const std::string& scope = "\"scope\": \"gpu\",") {
  return R"({"provider": "P", "billing": {"step": "60 s", "source": "s"}, "quotes": [{"source": "q",
"quality": "A", )" +
         scope + R"( "offers": [)" + row + "]}]}";
}

std::vector<Offer> offers_in(const std::string& text, const std::string& date = "2026-06-13") {
  JsonDocument document("p.json", text);
  return catalog::read_offers(document, "p", date, gpus);
}

std::string fault_in(const std::string& text, const std::string& date = "2026-06-13") {
  try {
    offers_in(text, date);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

const pricing::PriceBook& shipped() {
  static const pricing::PriceBook book = catalog::load_price_book(GPUCAP_SOURCE_DIR, {});
  return book;
}

}  // namespace

TEST_CASE("a price per card counts per card, a price of the node does not") {
  // 8 cards at 2.00: 16.00 when the quote is per card, 2.00 when it is for the node.
  const std::string row = R"({"gpu": "rtx-4090", "count": 8, "price": "2.00 USD/h"})";
  CHECK(offers_in(file_with(row)).front().price.micro == 16'000'000);
  CHECK(offers_in(file_with(row, "\"scope\": \"instance\",")).front().price.micro == 2'000'000);
  CHECK(has(fault_in(file_with(row, "")), "\"scope\" is missing"));
}

TEST_CASE("a row without a price is an error, never 0; a stated 0 is legal") {
  CHECK(has(fault_in(file_with(R"({"gpu": "rtx-4090", "count": 1})")), "\"price\" is missing"));
  CHECK(has(fault_in(file_with(R"({"gpu": "rtx-4090", "count": 1, "price": ""})")),
            "is not a number"));
  CHECK(has(fault_in(file_with(R"({"gpu": "rtx-4090", "count": 1, "price": "1.20 /h"})")),
            "has no currency"));
  CHECK(has(fault_in(file_with(R"({"gpu": "rtx-4090", "count": 1, "price": "-1 EUR/h"})")),
            "cannot be negative"));
  CHECK(offers_in(file_with(R"({"gpu": "rtx-4090", "count": 1, "price": "0 EUR/h"})"))
            .front()
            .price.micro == 0);
}

TEST_CASE("all problems of a price file are told, with the nearest name") {
  const std::string fault = fault_in(file_with(
      R"({"gpu": "rtx-4091", "count": 0, "price": "1 EUR/h", "reigon": "x", "term": "spots"})"));
  CHECK(has(fault, "unknown GPU \"rtx-4091\"; did you mean \"rtx-4090\"?"));
  CHECK(has(fault, "/quotes/0/offers/0/count: the number of cards must be from 1"));
  CHECK(has(fault, "did you mean \"region\"?"));
  CHECK(has(fault, "did you mean \"spot\"?"));
  CHECK(has(fault_in(file_with(""), "22.08.2026"), "[bad-date]"));
}

TEST_CASE("derived rows follow the quoted one and say so") {
  const auto offers = offers_in(file_with(
      R"({"gpu": "rtx-4090", "count": 4, "price": "1.60 EUR/h", "derive_counts": [1, 2]})",
      "\"scope\": \"instance\","));
  REQUIRE(offers.size() == 3);
  CHECK(offers[2].price.micro == 800'000);
  CHECK(offers[2].derived == "derived: 2 of 4 cards");
}

TEST_CASE("an undated file gives undated offers, a spot term names its tier") {
  const auto offers = offers_in(
      file_with(R"({"gpu": "rtx-4090", "count": 1, "price": "0.5 USD/h", "term": "spot"})"),
      "undated");
  CHECK(offers.front().dated_id() == "p/rtx-4090-x1-spot@undated");
}

TEST_CASE("shipped: Hivenet sells four RTX 4090 by the minute, one and two are derived") {
  const auto four = *shipped().find("hivenet/rtx-4090-x4");
  CHECK(four.price == MoneyPerHour{1'600'000, *Currency::parse("EUR")});
  CHECK(four.billing.step.in(unit::s) == 60);
  CHECK_FALSE(four.derived.has_value());
  CHECK((*shipped().find("hivenet/rtx-4090-x2")).derived == "derived: 2 of 4 cards");
  CHECK((*shipped().find("hivenet/rtx-4090-x1")).price.micro == 400'000);
}

TEST_CASE("shipped: a Droplet of August 2026 is billed by the second, one of 2025 by the hour") {
  const auto now = *shipped().find("digitalocean/h100-sxm-80gb-x1");
  CHECK(now.dated_id() == "digitalocean/h100-sxm-80gb-x1@2026-08-22");
  CHECK(now.price.micro == 4'410'000);
  CHECK(now.billing.minimum.in(unit::s) == 60);
  CHECK(now.gpu_assumed.has_value());
  const auto then = *shipped().find("digitalocean/h100-sxm-80gb-x1@2025-05-07");
  CHECK(then.price.micro == 3'390'000);
  CHECK(then.billing.step.in(unit::hour) == 1);
}

TEST_CASE("shipped: the A100 of Paperspace is undated, an illustration, its form factor open") {
  const auto offer = *shipped().find("paperspace/a100-sxm-80gb-x1");
  CHECK(offer.price.micro == 3'180'000);
  CHECK_FALSE(offer.observed.has_value());
  CHECK(offer.quality == pricing::Quality::c);
  CHECK(match_gpu(offer, "a100-pcie-80gb").note.has_value());
}

TEST_CASE("shipped: no price lacks source, currency or billing rule, none is 0, none repeats") {
  std::set<std::string> ids;
  for (const Offer& offer : shipped().offers()) {
    INFO(offer.dated_id());
    CHECK(ids.insert(offer.dated_id()).second);
    CHECK_FALSE(offer.source.empty());
    CHECK(offer.price.micro > 0);
    CHECK(offer.price.currency.code() != "XXX");
    CHECK(offer.billing.step > Seconds{});
    const auto said = flags(offer);
    CHECK((offer.quality == pricing::Quality::c) ==
          (std::count(said.begin(), said.end(), "illustration only") == 1));
  }
  CHECK(ids.size() > 200);
}

TEST_CASE("shipped: every GPU of the price files has a spec sheet") {
  const std::filesystem::path specs =
      std::filesystem::path(GPUCAP_SOURCE_DIR) / "calibration" / "specs";
  std::vector<std::string> known;
  if (std::filesystem::is_directory(specs)) {
    for (const auto& entry : std::filesystem::directory_iterator(specs)) {
      known.push_back(entry.path().stem().string());
    }
  }
  if (known.empty()) {
    WARN("skipped: no spec sheets in " << specs);
    return;
  }
  CHECK_NOTHROW(catalog::load_price_book(GPUCAP_SOURCE_DIR, known));
}

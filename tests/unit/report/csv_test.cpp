#include "gpucap/report/costs_csv.hpp"
#include "gpucap/report/listing.hpp"

#include <clocale>
#include <cstdio>
#include <limits>
#include <locale>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace gpucap::report;

TEST_CASE("text that a spreadsheet would evaluate is neutralised, a negative number is not") {
  CHECK(csv_field("=1+1") == "'=1+1");
  CHECK(csv_field("+1") == "'+1");
  CHECK(csv_field("-3") == "'-3");  // a scenario of that name
  CHECK(csv_field("@SUM(A1)") == "'@SUM(A1)");
  CHECK(csv_field("\t=1") == "'\t=1");
  CHECK(csv_field("\r=1") == "\"'\r=1\"");
  CHECK(csv_field("=HYPERLINK(\"x\",\"y\")") == "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\"");
  CHECK(csv_field("a=1") == "a=1");
  CHECK(csv_field(-0.02) == "-0.02");
  CHECK(csv_field(std::int64_t{-3}) == "-3");
}

TEST_CASE("a field is quoted only where RFC 4180 or a ; reader needs it") {
  CHECK(csv_field("2x rtx-4090") == "2x rtx-4090");
  CHECK(csv_field("a,b") == "\"a,b\"");
  CHECK(csv_field("a;b") == "\"a;b\"");
  CHECK(csv_field("say \"hi\"\n") == "\"say \"\"hi\"\"\n\"");
}

TEST_CASE("numbers are written shortest, without thousands marks, and absent ones are empty") {
  CHECK(csv_field(9.10) == "9.1");
  CHECK(csv_field(1234567.5) == "1234567.5");
  CHECK(csv_field(0.1 + 0.2) == "0.30000000000000004");        // reads back as the same double
  CHECK(csv_field(std::int64_t{2516582400}) == "2516582400");  // above 32 bits
  CHECK(csv_field({}) == "");
  CHECK(csv_field(std::numeric_limits<double>::quiet_NaN()) == "");
  CHECK(csv_field(-std::numeric_limits<double>::infinity()) == "");
}

TEST_CASE("bytes that are not UTF-8 become U+FFFD") {
  CHECK(csv_field(std::string("caf\xE9")) == "caf\xEF\xBF\xBD");
  CHECK(csv_field(std::string("caf\xC3\xA9")) == "caf\xC3\xA9");
}

namespace {
/// "1.234,5": what a German locale does to C++ streams.
class GermanNumbers : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};
}  // namespace

TEST_CASE("a German locale changes no byte") {
  const Listing listing{{{"name", "NAME"}, {"cost_eur", "EUR"}},
                        {{"=1+1", 9.10}, {"x", 1234.5}, {"y", Cell{}}}};
  const std::locale german(std::locale::classic(), new GermanNumbers);
  const std::locale before = std::locale::global(german);
  const bool installed = std::setlocale(LC_NUMERIC, "de_DE.UTF-8") != nullptr;
  if (!installed) std::puts("only C++ streams are German here: de_DE.UTF-8 is not installed");
  CHECK(to_csv(listing) == "name,cost_eur\r\n'=1+1,9.1\r\nx,1234.5\r\ny,\r\n");
  CHECK(to_json(listing).find("1234.5") != std::string::npos);
  CHECK(shown(Cell{1234.5}, Shown::money) == "1,234.50");
  std::setlocale(LC_NUMERIC, "C");
  std::locale::global(before);
}

TEST_CASE("bill lines with different names share one header, missing values are empty") {
  const std::vector<CostLine> lines = {{{"BilledCost", 1.5}, {"BillingCurrency", "EUR"}},
                                       {{"BilledCost", -0.25}, {"x_Candidate", "-a"}}};
  CHECK(costs_csv(lines) == "BilledCost,BillingCurrency,x_Candidate\r\n1.5,EUR,\r\n-0.25,,'-a\r\n");
}

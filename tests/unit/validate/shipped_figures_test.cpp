#include "gpucap/validate/logged_pool.hpp"
#include "gpucap/validate/serving_case.hpp"
#include "gpucap/validate/suites.hpp"

#include <cmath>
#include <set>

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::validate;

TEST_CASE("every shipped run can be predicted, and covers cards, sources and both kinds of rows") {
  scenario::Library library(GPUCAP_SOURCE_DIR);
  const auto report = serving_suite({GPUCAP_SOURCE_DIR, std::nullopt}, library);
  std::set<std::string> cards, sources, rows;
  bool calibration = false;
  for (const Figure& figure : report.figures) {
    cards.insert(figure.gpu);
    sources.insert(figure.source);
    rows.insert(figure.source + figure.id);
    calibration = calibration || figure.calibration;
    CHECK(figure.predicted > 0);
  }
  CHECK(rows.size() == shipped_serving_cases(GPUCAP_SOURCE_DIR).cases.size());
  CHECK(cards.size() >= 8);
  CHECK(sources.size() >= 6);
  CHECK(calibration);
}

TEST_CASE("no shipped start is called possible that failed") {
  scenario::Library library(GPUCAP_SOURCE_DIR);
  const auto report = memory_suite({GPUCAP_SOURCE_DIR, std::nullopt}, library);
  for (const Section& section : report.sections) {
    if (section.name != "verdicts") continue;
    CHECK(std::get<std::int64_t>(section.listing.rows[1][1]) == 0);  // did not start, "fits"
    CHECK(std::get<std::int64_t>(section.listing.rows[1][2]) > 0);
  }
}

TEST_CASE("pools on which no term was fitted stand apart from those of the fit") {
  std::size_t fitted = 0, test = 0;
  for (const LoggedPool& pool : logged_pools(GPUCAP_SOURCE_DIR)) {
    if (!pool.kv_cache_tokens && !pool.kv_cache) continue;
    ++(pool.fitted ? fitted : test);
  }
  CHECK(fitted >= 15);
  CHECK(test >= 8);
}

TEST_CASE("operator figures cover matrix products and attention") {
  scenario::Library library(GPUCAP_SOURCE_DIR);
  const auto report = operators_suite({GPUCAP_SOURCE_DIR, std::nullopt}, library);
  std::set<std::string> kernels;
  for (const Figure& figure : report.figures) kernels.insert(figure.group);
  CHECK(kernels.contains("GEMM"));
  CHECK(kernels.contains("decode attention"));
  CHECK(kernels.contains("prefill attention"));
}

TEST_CASE("the suites have names, and a later one is not among them") {
  CHECK(suite_names() == std::vector<std::string>{"operators", "serving", "memory", "training"});
}

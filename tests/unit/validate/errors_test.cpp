#include "gpucap/validate/errors.hpp"

#include "gpucap/validate/suite_report.hpp"

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::validate;

TEST_CASE("the error is predicted over measured less 1") {
  CHECK(error_of(110, 100) == Approx(0.1));
  CHECK(error_of(50, 100) == Approx(-0.5));
}

TEST_CASE("bias keeps the signs, median and p95 are nearest ranks of the sizes") {
  // Sizes in order: 0.01 0.02 0.03 0.04 0.10; rank 3 of 5 is the median, rank 5 the 95th
  // percentile.
  const ErrorSummary found = summarize_errors({0.10, -0.02, 0.03, -0.04, 0.01});
  CHECK(found.count == 5);
  CHECK(*found.bias == Approx((0.10 - 0.02 + 0.03 - 0.04 + 0.01) / 5));
  CHECK(*found.median == Approx(0.03));
  CHECK(*found.p95 == Approx(0.10));
  CHECK(*found.worst == Approx(0.10));
}

TEST_CASE("the worst error keeps its sign") {
  CHECK(*summarize_errors({0.1, -0.7, 0.2}).worst == Approx(-0.7));
}

TEST_CASE("no errors have no statistics") {
  const ErrorSummary found = summarize_errors({});
  CHECK(found.count == 0);
  CHECK_FALSE(found.bias);
  CHECK_FALSE(found.p95);
}

namespace {

Figure figure(const std::string& zone, double predicted, bool calibration = false) {
  Figure one;
  one.source = "lab";
  one.model = "m";
  one.gpu = "card";
  one.engine = "engine";
  one.group = zone;
  one.metric = "tpot";
  one.measured = 100;
  one.predicted = predicted;
  one.calibration = calibration;
  return one;
}

}  // namespace

TEST_CASE("zones are never averaged, and calibration rows stand apart") {
  const std::vector<Figure> figures{figure("light", 110), figure("light", 90),
                                    figure("saturated", 150), figure("light", 300, true)};
  const auto test = error_table(figures, false, {"tpot"});
  REQUIRE(test.rows.size() == 2);
  CHECK(std::get<std::string>(test.rows[0][3]) == "+0.0 / 10.0 (2)");
  CHECK(std::get<std::string>(test.rows[1][3]) == "+50.0 / 50.0 (1)");
  const auto calibration = error_table(figures, true, {"tpot"});
  REQUIRE(calibration.rows.size() == 1);
  CHECK(std::get<std::string>(calibration.rows[0][3]) == "+200.0 / 200.0 (1)");
}

TEST_CASE("outliers are test figures beyond the limit, worst first") {
  const std::vector<Figure> figures{figure("light", 120), figure("knee", 130),
                                    figure("saturated", 20), figure("light", 300, true)};
  const auto outliers = outlier_table(figures, 0.25, {"tpot"});
  REQUIRE(outliers.rows.size() == 2);  // +20 % is none, the calibration row is no evidence
  CHECK(std::get<std::string>(outliers.rows[0][3]) == "saturated");
  CHECK(std::get<std::string>(outliers.rows[0][5]) == "-80.0");
  CHECK(std::get<std::string>(outliers.rows[1][3]) == "knee");
}

TEST_CASE("figures that are not the main one of their metric do not count") {
  auto tail = figure("light", 900);
  tail.main = false;
  const auto table = error_table({figure("light", 110), tail}, false, {"tpot"});
  REQUIRE(table.rows.size() == 1);
  CHECK(std::get<std::string>(table.rows[0][3]) == "+10.0 / 10.0 (1)");
}

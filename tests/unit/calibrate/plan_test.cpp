#include "gpucap/calibrate/plan.hpp"

#include "gpucap/catalog/fits.hpp"
#include "gpucap/catalog/gpus.hpp"
#include "gpucap/catalog/json_folder.hpp"

#include <filesystem>

#include "support/catch.hpp"
#include "written_file.hpp"

using namespace gpucap;
using namespace gpucap::calibrate;
using test::WrittenFile;

namespace {

const std::filesystem::path shipped = GPUCAP_SOURCE_DIR;

std::vector<Problem> problems_of(const std::string& content) {
  const WrittenFile file(content, "plan.json");
  try {
    read_plan(file.path());
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

}  // namespace

TEST_CASE("every shipped plan reads and has the fit file that it makes") {
  const auto files = catalog::json_files(shipped / "calibration/plans");
  CHECK(files.size() >= 17);
  const auto book = catalog::load_gpus(shipped);
  for (const std::string& file : files) {
    INFO(file);
    const FitPlan plan = read_plan(file);
    CHECK_FALSE(plan.tables().empty());
    const auto name = std::filesystem::path(file).filename();
    CHECK(std::filesystem::exists(shipped / "calibration/fits" / name));
    if (!plan.card.empty()) CHECK(book.find(plan.card) != nullptr);
  }
}

TEST_CASE("every shipped exclusion names rows and a reason") {
  const auto exclusions = read_exclusions(shipped);
  CHECK(exclusions.size() >= 5);
  for (const Exclusion& exclusion : exclusions) {
    CHECK_FALSE(exclusion.where.empty());
    CHECK_FALSE(exclusion.reason.empty());
  }
}

TEST_CASE("a plan with an unknown part names the nearest") {
  const auto problems =
      problems_of(R"({"card": "a40", "parts": {"gem": {"source": "x"}, "gemm": {"source": "x"}}})");
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].pointer == "/parts/gem");
  CHECK(problems[0].message.find("\"gemm\"") != std::string::npos);
}

TEST_CASE("a held value without reason is an error") {
  const auto problems = problems_of(
      R"({"card": "a40", "parts": {"gemm": {"source": "x", "hold": {"t0": {"value": "5 us"}}}}})");
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].message.find("reason") != std::string::npos);
}

TEST_CASE("a plan that fits nothing is an error") {
  CHECK(problems_of(R"({"card": "a40"})").at(0).code == "missing-key");
}

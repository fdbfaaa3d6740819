#include "gpucap/calibrate/fit_file.hpp"
#include "gpucap/catalog/fits.hpp"
#include "gpucap/catalog/gpus.hpp"

#include <cmath>

#include "shared_data.hpp"
#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::calibrate;

namespace {

const std::filesystem::path shipped = GPUCAP_SOURCE_DIR;

/// The fit that `plan` asks for, or nothing when its tables are not at hand.
std::optional<FittedFile> refitted(const std::string& plan_name) {
  const FitPlan plan = read_plan(shipped / "calibration/plans" / (plan_name + ".json"));
  std::vector<SampleTable> tables;
  for (const std::string& table : plan.tables()) {
    const auto path = test::shared_data("measured/operators/" + table);
    if (!path) return std::nullopt;
    tables.push_back(SampleTable::read(*path, plan.columns_of(table)));
  }
  const hardware::Gpu gpu = *catalog::load_gpus(shipped).find(plan.card);
  return fit_card(gpu, tables, plan, read_exclusions(shipped), {gpu.id},
                  catalog::load_sustained_rate(shipped, gpu).share, nullptr);
}

/// Every fitted coefficient lies within the standard error that the shipped file states for it, and
/// the stated errors on held-out launches are met to three digits.
template <class Fit>
void check_part(const FittedPart& part, const std::vector<Bound<Fit>>& list, const Fit& in_file,
                const perf::FitQuality& stated) {
  INFO(part.part);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const FittedCoefficient& found = part.coefficients[i];
    INFO(found.key);
    if (!found.fitted) continue;
    REQUIRE(stated.standard_errors.contains(found.symbol));
    CHECK(std::fabs(found.value - list[i].get(in_file)) <= stated.standard_errors.at(found.symbol));
  }
  CHECK(part.held_out.points == stated.held_out_points);
  CHECK(part.held_out.median == Approx(stated.median_error).epsilon(0.006));
  CHECK(part.held_out.p95 == Approx(stated.p95_error).epsilon(0.006));
}

}  // namespace

TEST_CASE("the products of an RTX 4090 refitted give the shipped coefficients") {
  const auto file = refitted("rtx-4090-gemm");
  if (!file) return;
  const auto fits = catalog::load_calibration(shipped, file->gpu);
  REQUIRE(file->parts.size() == 1);
  check_part(file->parts[0], perf::gemm_coefficients(), fits.gemm, *fits.gemm_origin.quality);
}

TEST_CASE("the attention of an RTX 4090 refitted gives the shipped coefficients") {
  const auto file = refitted("rtx-4090-attention");
  if (!file) return;
  const auto fits = catalog::load_calibration(shipped, file->gpu);
  REQUIRE(file->parts.size() == 3);
  check_part(file->parts[0], perf::prefill_coefficients(), fits.prefill,
             *fits.prefill_origin.quality);
  check_part(file->parts[1], perf::decode_coefficients(), fits.decode, *fits.decode_origin.quality);
  check_part(file->parts[2], perf::mixed_coefficients(), *fits.mixed, *fits.mixed_origin.quality);
}

#include "fit_training.hpp"

#include "gpucap/calibrate/training_fit.hpp"
#include "gpucap/catalog/data_dir.hpp"
#include "gpucap/core/file.hpp"
#include "gpucap/report/listing.hpp"

namespace gpucap::cli {
namespace {

using report::Listing;
using report::Shown;

Listing constants_of(const std::vector<calibrate::TrainingFit>& fits) {
  Listing listing{{{"class", "CLASS"},
                   {"constant", "CONSTANT", Shown::text, 1},
                   {"value", "VALUE", Shown::plain},
                   {"standard_error", "STD ERROR", Shown::plain},
                   {"low", "LOW", Shown::plain},
                   {"high", "HIGH", Shown::plain}},
                  {}};
  for (const auto& fit : fits) {
    for (const auto& one : fit.constants) {
      listing.rows.push_back(
          {fit.software.id, one.key, one.value, one.standard_error, one.low, one.high});
    }
  }
  return listing;
}

Listing errors_of(const std::vector<calibrate::TrainingFit>& fits) {
  Listing listing{{{"class", "CLASS"},
                   {"rows", "ROWS", Shown::text, 1},
                   {"of", "OF", Shown::text, 1},
                   {"count", "COUNT", Shown::count},
                   {"median_percent", "MEDIAN %", Shown::plain},
                   {"worst_percent", "WORST %", Shown::plain},
                   {"bias_percent", "BIAS %", Shown::plain}},
                  {}};
  const auto add = [&](const std::string& id, const calibrate::TrainingErrors& one) {
    listing.rows.push_back({id, one.part, one.group, static_cast<std::int64_t>(one.count),
                            100 * one.median, 100 * one.worst, 100 * one.bias});
  };
  for (const auto& fit : fits) {
    for (const auto& one : fit.errors) add(fit.software.id, one);
    for (const auto& one : fit.left_out) add(fit.software.id, one);
  }
  return listing;
}

}  // namespace

void fit_training_software(const std::filesystem::path& tables, const std::filesystem::path& out,
                           Console& console) {
  const auto samples = calibrate::training_samples(tables, catalog::data_directory());
  const auto fits = calibrate::fit_training_classes(samples.samples);
  write_file(out, calibrate::training_fits_json(fits));
  console.print(report::aligned(to_table(constants_of(fits)), console.width()));
  console.print("\n" + report::aligned(to_table(errors_of(fits)), console.width()));
  for (const std::string& row : samples.skipped) console.note("skipped: " + row);
}

}  // namespace gpucap::cli

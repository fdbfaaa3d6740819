#pragma once

#include "gpucap/report/listing.hpp"
#include "gpucap/validate/errors.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::validate {

/// One table of a suite. People get few rows with rounded texts, files get every number.
struct Section {
  enum class Readers : std::uint8_t { people, files, all };
  std::string name;   ///< key in JSON: "outliers"
  std::string title;  ///< for people
  report::Listing listing;
  Readers readers = Readers::all;
  std::vector<std::string> notes;  ///< printed below the table
};

/// What one suite found.
struct SuiteReport {
  std::string suite;
  std::string data;  ///< which measurements were used
  std::vector<Section> sections;
  std::vector<Figure> figures;  ///< every compared figure, in the order of the data
};

/// Every compared figure in one table: what `--format csv` prints.
report::Listing figure_listing(const std::vector<Figure>& figures);

/// "+3.1" (signed) and "3.1" from a share, in per cent with one decimal; "-" for nothing.
std::string signed_percent(const std::optional<double>& share);
std::string percent(const std::optional<double>& share);

/// Rows that could not be predicted, counted by source and reason (people) and one by one (files).
std::vector<Section> skipped_sections(const std::vector<Skipped>& skipped);

/// Count, bias, median, 95th percentile and worst error by card, group, metric and whether the rows
/// set a constant; main figures only.
report::Listing error_listing(const std::vector<Figure>& figures);

/// The same for people: one row per card and group, a cell "bias / median (count)" per metric.
report::Listing error_table(const std::vector<Figure>& figures, bool calibration,
                            const std::vector<std::string>& metrics);

/// Where a main figure of test rows is off by more than `limit`, a share: one row per source,
/// model, card and group with the worst error of each metric, worst first, and the cause of the
/// worst.
report::Listing outlier_table(const std::vector<Figure>& figures, double limit,
                              const std::vector<std::string>& metrics);

}  // namespace gpucap::validate

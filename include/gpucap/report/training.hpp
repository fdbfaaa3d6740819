#pragma once

#include "gpucap/evaluate/training.hpp"
#include "gpucap/report/files.hpp"
#include "gpucap/report/listing.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::report {

/// What one `run` of a training scenario found. Costs are in one currency throughout.
struct TrainingReport {
  std::string scenario;
  std::vector<std::string> headline;
  std::vector<evaluate::TrainingOutcome> candidates;
};

/// "data 4 x tensor 2, zero 1"; "1 card" where nothing is spread.
std::string layout_text(const training::Layout& layout);

/// One candidate, as `estimate training` prints it.
std::string training_json(const evaluate::TrainingOutcome& outcome);
/// Answer of `memory training`.
std::string training_memory_json(const evaluate::TrainingOutcome& outcome);
/// All candidates and winners: summary.json.
std::string training_json(const TrainingReport& report);

/// Every figure of every candidate: summary.csv.
Listing training_summary(const TrainingReport& report);
/// Every figure of one candidate that exists, one per line.
Listing training_details(const evaluate::TrainingOutcome& outcome);
/// The memory of one candidate, one line per term, and the largest sizes that fit.
Listing training_memory_details(const evaluate::TrainingOutcome& outcome);
/// What helps and what it costs; no rows when nothing does.
Listing cure_listing(const evaluate::TrainingOutcome& outcome);

/// Headline, table and verdict for a terminal of `width` columns (absent: keep every column).
std::string training_text(const TrainingReport& report, std::optional<std::size_t> width);
std::string training_markdown(const TrainingReport& report);
/// What must be known before believing the figures.
std::vector<std::string> training_notes(const TrainingReport& report);

/// summary.csv and summary.json.
void add_training_files(OutputFolder& folder, const TrainingReport& report);

}  // namespace gpucap::report

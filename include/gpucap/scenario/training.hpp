#pragma once

#include "gpucap/catalog/json_document.hpp"
#include "gpucap/evaluate/training.hpp"
#include "gpucap/report/listing.hpp"
#include "gpucap/scenario/common.hpp"
#include "gpucap/scenario/library.hpp"
#include "gpucap/training/question.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::scenario {

struct TrainingCandidate : Rented {
  training::Layout layout;
  std::optional<std::int64_t> search_batch;  ///< of "layout": "search", samples of a step
  training::Settings settings;
  training::Software software;
};

/// A scenario of training, names resolved.
struct TrainingScenario : Common {
  training::Network network;
  std::optional<std::int64_t> tokens, samples;  ///< how much is trained
  std::vector<TrainingCandidate> candidates;
};

/// Reads a document whose workload is of kind "training", as read_scenario does for serving.
TrainingScenario read_training(catalog::JsonDocument& document, const std::filesystem::path& folder,
                               Library& library);

/// Every candidate with its calibration and terms. Throws InputError for prices that cannot be put
/// into one currency.
std::vector<evaluate::TrainingCase> plan_training(const TrainingScenario& scenario,
                                                  Library& library);

/// The day that prices are compared with.
std::optional<pricing::Date> as_of(const TrainingScenario& scenario);

/// Name of the model or net.
const std::string& id_of(const training::Network& network);

/// The document with every default written out (--dump-resolved).
std::string dump_resolved(const catalog::JsonDocument& document, const TrainingScenario& scenario);

/// Who would run where, whether it fits and why not, without timing anything (--dry-run).
report::Listing plan_listing(const std::vector<evaluate::TrainingCase>& cases);

}  // namespace gpucap::scenario

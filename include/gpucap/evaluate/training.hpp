#pragma once

#include "gpucap/evaluate/outcome.hpp"
#include "gpucap/evaluate/terms.hpp"
#include "gpucap/training/cures.hpp"
#include "gpucap/training/memory.hpp"
#include "gpucap/training/question.hpp"
#include "gpucap/training/step.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::evaluate {

/// One candidate of a training question, ready to be weighed and timed.
struct TrainingCase {
  std::string name;
  training::Question question;
  /// Samples of a step for which the fastest layout that fits stands in for that of the question.
  std::optional<std::int64_t> search_batch;
  /// How much is to be trained, in tokens (transformers) or samples; absent: no run is priced.
  std::optional<std::int64_t> tokens, samples;
  Terms terms;
  Outcome::Provenance provenance;
  std::vector<std::string> notes;  ///< what the edge found
};

/// Absent values do not exist: null in JSON, empty in CSV, never zero.
struct TrainingOutcome {
  std::string name;
  bool feasible = false;
  std::optional<std::string> reason;
  training::Layout layout;
  training::Settings settings;
  std::string gpu, software;
  int cards = 0;
  std::optional<training::Footprint> memory;  ///< absent where the job cannot be laid out

  std::optional<training::StepTime> step;
  std::optional<record::Cause> bottleneck;
  std::array<double, record::cause_count> bottleneck_shares{};

  struct Throughput {
    std::optional<double> tokens_per_s, samples_per_s, mfu, hfu;
  } throughput;

  /// The whole job, where it is known how much is trained.
  struct Run {
    std::optional<std::int64_t> steps;
    std::optional<double> time_s;
  } run;

  struct Cost {
    std::optional<Currency> currency;
    std::optional<double> per_hour, per_month, run, per_million_tokens, per_1000_samples;
    std::string offer;
    std::vector<std::string> notes;
  } cost;

  struct Energy {
    std::optional<double> kwh, mean_w, joules_per_token, joules_per_sample, gco2e;
    std::string basis = "assumed";
  } energy;

  struct Largest {
    std::int64_t micro_batch = 0, seq_len = 0;  ///< 0: not even the smallest fits
  } largest;
  training::Cures cures;

  /// What a search over layouts found beside the fastest one, which is this outcome.
  struct Search {
    std::int64_t tried = 0, fit = 0;
    std::optional<training::Layout> cheapest;  ///< where it is another one, on fewer machines
    double cheapest_cost_ratio = 1;            ///< its card-seconds per step over this one's
    double cheapest_time_ratio = 1;
  };
  std::optional<Search> search;

  Outcome::Provenance provenance;
  std::vector<std::string> notes;
};

/// Weighs, times and prices one case. Throws InputError when costs cannot be put into one currency.
TrainingOutcome evaluate(const TrainingCase& training_case);

}  // namespace gpucap::evaluate

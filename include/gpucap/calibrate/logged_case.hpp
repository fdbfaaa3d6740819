#pragma once

#include "gpucap/calibrate/served_run.hpp"
#include "gpucap/evaluate/serving.hpp"
#include "gpucap/scenario/library.hpp"
#include "gpucap/scenario/options.hpp"
#include "gpucap/scenario/scenario.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::calibrate {

/// What a log does not say and its reader is told.
struct LogSetup {
  scenario::Options options;  ///< of `estimate serving`: gpu, engine, count, ...; no load, no model
  std::optional<std::string> model;                         ///< absent: the log's own
  std::optional<std::string> prompt_tokens, output_tokens;  ///< distributions; absent: see below
  std::optional<Frequency> request_rate;                    ///< of runs that do not say
  std::uint64_t seed = 0;
};

/// A logged run, ready to be simulated. Lengths are those of the log where it has them request by
/// request, else the distributions of the setup, else of the log's mean: equal lengths where it is
/// a whole number, a lognormal with its 95th percentile at three times the mean otherwise.
struct LoggedCase {
  ServedRun run;
  scenario::Scenario asked;
  evaluate::ServingCase planned;
  bool guessed_lengths = false;    ///< the spread around their mean is nobody's figure
  std::vector<std::string> notes;  ///< what was taken for granted
};

/// The id under which models are kept that a log calls by a path or a repository:
/// "meta-llama/Meta-Llama-3-8B-Instruct" is "llama-3-8b". Empty when there is none.
std::string model_id_of(const std::string& logged, const catalog::ModelBook& models);

/// Throws InputError: a model or card that is not known, options that contradict each other, a run
/// whose rate nobody states, an engine that could not have started.
LoggedCase plan_logged(const ServedRun& run, const LogSetup& setup, scenario::Library& library);

/// What the card of the case cannot have done: times per token below those of reading the weights
/// at the full bandwidth, tokens per second above the peak, each with the measuring tolerance.
std::vector<Problem> impossible(const LoggedCase& logged);

/// Simulates the run with other fitted numbers or host times; draw: which of several random
/// streams. Throws InputError where nothing can run.
evaluate::Outcome repeat(const LoggedCase& logged, const plan::ServingPlan& plan, int draw);

}  // namespace gpucap::calibrate

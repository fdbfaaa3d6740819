#pragma once

#include "gpucap/metrics/slo.hpp"
#include "gpucap/models/transformer.hpp"
#include "gpucap/perf/engine_profile.hpp"
#include "gpucap/plan/serving_plan.hpp"
#include "gpucap/scenario/common.hpp"
#include "gpucap/serving/router.hpp"
#include "gpucap/serving/stepping.hpp"
#include "gpucap/workload/arrivals.hpp"
#include "gpucap/workload/generator.hpp"
#include "gpucap/workload/lengths.hpp"
#include "gpucap/workload/trace.hpp"
#include "gpucap/workload/trace_file.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gpucap::scenario {

/// Requests made up from distributions.
struct Generated {
  std::int64_t requests = 1000;
  workload::LengthDistribution prompt_tokens;
  workload::LengthDistribution output_tokens;
  std::optional<workload::Arrivals> arrivals = {};  ///< absent: each load states a rate
  std::optional<Frequency> rate = {};               ///< that of the arrivals, if they have one
  bool rateless = false;   ///< all at once, or a closed loop: no load can state a rate
  bool even_gaps = false;  ///< a load's rate means equal gaps instead of random ones
  std::optional<double> burstiness = {};  ///< of random gaps; absent: Poisson
  std::optional<workload::SharedPrefix> shared_prefix = {};
};

/// Requests replayed from a file.
struct Replayed {
  std::filesystem::path file;
  workload::TraceOptions options;
  std::optional<std::int64_t> clients;  ///< closed loop over the trace's requests
  /// The file, read; there is none only while reading the scenario fails.
  std::shared_ptr<const workload::TraceFile> content = {};
};

/// One line of the question "under which load?".
struct LoadSpec {
  std::string name;
  std::optional<Frequency> rate;     ///< replaces the rate of generated arrivals
  std::optional<double> rate_scale;  ///< multiplies the rate of a replayed trace
  std::optional<std::int64_t> clients;
  std::optional<models::Transformer> model;  ///< replaces the model of the workload
  std::optional<std::string> weight_dtype;   ///< replaces that of the engines
  std::string pointer;                       ///< where it stands, for problems
};

/// Engine options as written; absent ones fall back to the common ones, then to the engine's own.
struct EngineOptions {
  std::optional<perf::EngineProfile> profile;
  std::optional<std::string> weight_dtype, kv_dtype;
  std::optional<std::int64_t> max_num_seqs, max_num_batched_tokens, kv_cache_tokens;
  std::optional<std::int64_t> max_model_len;  ///< absent: auto
  std::optional<double> gpu_memory_utilization;
  std::optional<Bytes> kv_cache_memory;
  std::optional<bool> prefix_caching;

  /// These options, and those of `common` where these say nothing.
  [[nodiscard]] EngineOptions over(const EngineOptions& common) const;
};

struct Candidate : Rented {
  plan::Layout layout;
  serving::Router router = serving::Router::round_robin;
  EngineOptions engine;  ///< merged with the common ones
};

/// A scenario of serving, names resolved, nothing run yet.
struct Scenario : Common {
  serving::Stepping stepping = serving::Stepping::jumps;  ///< set by the command, not by the file
  models::Transformer model;
  std::variant<Replayed, Generated> requests;
  std::vector<LoadSpec> loads;
  std::vector<Candidate> candidates;
  metrics::Slo slo;
};

}  // namespace gpucap::scenario

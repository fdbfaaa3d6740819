#pragma once

#include "gpucap/catalog/json_document.hpp"
#include "gpucap/cluster/generate.hpp"
#include "gpucap/cluster/job.hpp"
#include "gpucap/cluster/nodes.hpp"
#include "gpucap/cluster/policy.hpp"
#include "gpucap/evaluate/cluster.hpp"
#include "gpucap/report/listing.hpp"
#include "gpucap/scenario/common.hpp"
#include "gpucap/scenario/library.hpp"
#include "gpucap/training/question.hpp"
#include "gpucap/training/rated_model.hpp"
#include "gpucap/workload/job_trace.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gpucap::scenario {

/// What a model name of a trace stands for: a network that is timed on the recorded and on the
/// simulated GPU, ratios that the scenario states, or a model that is known by its rate alone.
struct JobModel {
  struct Timed {
    training::Network network;
    training::Settings settings;  ///< the micro-batch follows from the job's own batch and GPUs
    training::Software software;
  };
  struct Rated {
    std::map<std::string, double> speed;  ///< by GPU id, against the recorded one
    std::string source;                   ///< why, for the notes
  };
  std::variant<Timed, Rated, training::RatedModel> is;
};

/// Jobs replayed from a file, or made up.
struct RecordedJobs {
  std::filesystem::path file;
  std::shared_ptr<const workload::JobTrace> trace;
  std::string recorded_gpu;                ///< on which jobs ran that name none; may be empty
  std::map<std::string, JobModel> models;  ///< by the trace's name; "*" for all others
};

struct NodesToRent : Rented {
  std::int64_t nodes = 1;
  std::vector<cluster::FaultClass> faults;
};

struct ClusterCandidate {
  std::string name;
  std::vector<NodesToRent> groups;
  std::string pointer;
};

struct NamedPolicy {
  std::string name;
  cluster::Policy policy;
};

/// A scenario of jobs on clusters, names resolved.
struct ClusterScenario : Common {
  std::variant<RecordedJobs, cluster::JobMix> jobs;
  /// How every job saves, restarts and waits for data; its speed is left empty.
  cluster::JobKind habits;
  std::vector<NamedPolicy> policies;
  std::vector<ClusterCandidate> candidates;
};

/// Reads a document whose workload is of kind "cluster".
ClusterScenario read_cluster(catalog::JsonDocument& document, const std::filesystem::path& folder,
                             Library& library);

/// Every candidate with its speeds, prices and power. The jobs outlive the cases.
std::vector<evaluate::ClusterCase> plan_cluster(const ClusterScenario& scenario, Library& library);

std::optional<pricing::Date> as_of(const ClusterScenario& scenario);

/// The document with every default written out (--dump-resolved).
std::string dump_resolved(const catalog::JsonDocument& document, const ClusterScenario& scenario);

/// Which nodes stand in which candidate, and what they cost, without running a job (--dry-run).
report::Listing plan_listing(const ClusterScenario& scenario,
                             const std::vector<evaluate::ClusterCase>& cases);

}  // namespace gpucap::scenario

#include "gpucap/core/file.hpp"
#include "gpucap/core/sha256.hpp"
#include "gpucap/scenario/cluster.hpp"

#include <set>

#include "read_training_settings.hpp"
#include "sections.hpp"
#include "training_words.hpp"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpucap::scenario {
namespace {

using cluster::FaultClass;
using cluster::JobMix;

std::optional<SimTime> time_from(ObjectReader& object, std::string_view key) {
  const auto duration = object.quantity(key, parse_duration);
  if (!duration) return std::nullopt;
  constexpr double most_s = 1e9;
  if (duration->in(unit::s) >= 0 && duration->in(unit::s) <= most_s) {
    return SimTime{static_cast<std::int64_t>(duration->in(unit::ns))};
  }
  object.problem(key, "is not between 0 and 30 years", "out-of-range");
  return std::nullopt;
}

std::optional<double> number_between(ObjectReader& object, std::string_view key, double least,
                                     double most) {
  const auto number = object.number(key);
  if (!number || (*number >= least && *number <= most)) return number;
  object.problem(key, fmt::format("{} is not between {} and {}", *number, least, most),
                 "out-of-range");
  return std::nullopt;
}

// --- jobs of a trace

JobModel::Rated read_stated(ObjectReader& entry, Library& library) {
  JobModel::Rated rated;
  rated.source = entry.required("source", entry.text("source"));
  if (auto speed = entry.object("speed")) {
    for (const std::string& gpu : speed->keys()) {
      if (gpu == "notes") continue;
      const auto ratio = number_between(*speed, gpu, 0.001, 1000);
      if (library.gpu(gpu) == nullptr) {
        speed->problem(gpu, library.gpus().unknown(gpu), "unknown-name");
      } else if (ratio) {
        rated.speed[library.gpu(gpu)->id] = *ratio;
      }
    }
    speed->finish();
  }
  return rated;
}

/// "model": a model that is known by its rate alone.
std::optional<training::RatedModel> read_rated(ObjectReader& entry, Library& library) {
  const auto id = entry.text("model");
  if (!id) return std::nullopt;
  const auto found = library.rated_models().find(*id);
  return found == library.rated_models().end() ? std::nullopt : std::optional(found->second);
}

JobModel read_job_model(ObjectReader entry, const Reading& reading) {
  JobModel model;
  if (entry.has("speed")) {
    model.is = read_stated(entry, reading.library);
  } else if (const auto rated = read_rated(entry, reading.library)) {
    model.is = *rated;
  } else {
    JobModel::Timed timed;
    timed.network = entry.required("model", read_network(entry, reading));
    const SettingsWords words = read_settings_words(entry);
    timed.settings = settings_from(words, timed.network);
    timed.software = read_software_class(entry, reading.library, timed.network, timed.settings);
    model.is = std::move(timed);
  }
  entry.finish();
  return model;
}

workload::JobTraceOptions trace_options(ObjectReader& object, const Reading& reading) {
  workload::JobTraceOptions options;
  const auto format = object.required("format", object.text("format"));
  if (!format.empty()) {
    options.format =
        accept(object, "format", workload::parse_job_format(format)).value_or(options.format);
  }
  const auto path = [&](const char* key) -> std::optional<std::filesystem::path> {
    const auto text = object.text(key);
    return text ? std::optional(path_from(object, key, *text, reading)) : std::nullopt;
  };
  options.profiles = path("profiles");
  options.work = path("work");
  options.gpus_per_processor = positive(object, "gpus_per_processor", 1000);
  options.recorded_gpu = object.text("recorded_gpu");
  return options;
}

void read_trace_file(ObjectReader& object, const workload::JobTraceOptions& options,
                     RecordedJobs& jobs, Common& scenario) {
  const std::string key = object.text("file").value_or("");
  try {
    jobs.trace = std::make_shared<workload::JobTrace>(workload::read_jobs(jobs.file, options));
    scenario.inputs_sha256[key] = sha256_hex(read_file(jobs.file));
  } catch (const InputError& error) {
    const Problem& first = error.problems()[0];
    object.problem("file",
                   fmt::format("{}{}{}: {}", jobs.file.string(), first.position.empty() ? "" : ":",
                               first.position, first.message),
                   first.code);
  }
}

RecordedJobs read_trace(ObjectReader object, const Reading& reading, Common& scenario) {
  RecordedJobs jobs;
  const auto file = object.required("file", object.text("file"));
  jobs.file = path_from(object, "file", file, reading);
  const auto options = trace_options(object, reading);
  if (options.recorded_gpu) {
    if (const auto* gpu = reading.library.gpu(*options.recorded_gpu)) {
      jobs.recorded_gpu = gpu->id;
    } else {
      object.problem("recorded_gpu", reading.library.gpus().unknown(*options.recorded_gpu),
                     "unknown-name");
    }
  }
  if (!file.empty()) read_trace_file(object, options, jobs, scenario);
  object.finish();
  return jobs;
}

/// Every model name of the trace needs an entry, or "*".
void check_models(ObjectReader& workload, const RecordedJobs& jobs) {
  if (!jobs.trace || jobs.models.contains("*")) return;
  std::set<std::string> unknown;
  for (const workload::Job& job : jobs.trace->jobs) {
    if (!jobs.models.contains(job.model)) unknown.insert(job.model);
  }
  if (unknown.empty()) return;
  workload.problem("models",
                   fmt::format("the trace names {} without an entry here; \"*\" stands for all "
                               "others",
                               fmt::join(unknown, ", ")),
                   "missing-key");
}

// --- jobs by chance

JobMix read_mix(ObjectReader object, std::uint64_t seed) {
  JobMix mix;
  mix.seed = seed;
  mix.jobs = object.required("jobs", count_from(object, "jobs", 1, 100'000'000));
  const auto rate = object.required("rate", object.quantity("rate", parse_rate));
  if (rate > Frequency{}) mix.mean_gap = 1 / rate.in(unit::per_s)*unit::s;
  const auto median = object.required("median", object.quantity("median", parse_duration));
  mix.median_work = median;
  mix.sigma = number_between(object, "sigma", 0, 5).value_or(0);
  mix.most_overestimated = number_between(object, "overestimate", 1, 1000).value_or(1);
  mix.priorities = count_from(object, "priorities", 1, 1000).value_or(1);
  for (ObjectReader& size : object.objects("sizes")) {
    const double gpus = size.required("gpus", positive(size, "gpus", 4096));
    const auto weight = count_from(size, "weight").value_or(1);
    mix.sizes.push_back({static_cast<std::int64_t>(gpus * 1000), weight});
    size.finish();
  }
  if (mix.sizes.empty()) mix.sizes = {{1000, 1}};
  if (!(mix.mean_gap > Seconds{})) object.problem("rate", "must be above 0", "out-of-range");
  if (!(mix.median_work > Seconds{})) object.problem("median", "must be above 0", "out-of-range");
  object.finish();
  return mix;
}

cluster::JobKind read_habits(ObjectReader& workload) {
  cluster::JobKind habits;
  if (auto checkpoint = workload.object("checkpoint")) {
    cluster::Checkpointing saving;
    saving.write = checkpoint->required("write", time_from(*checkpoint, "write"));
    saving.interval = time_from(*checkpoint, "interval");
    if (saving.interval && saving.interval->ns < 1'000'000'000) {
      checkpoint->problem("interval", "must be at least 1 s", "out-of-range");
    }
    checkpoint->finish();
    habits.checkpoint = saving;
  }
  habits.restart = time_from(workload, "restart").value_or(SimTime{});
  habits.stall_share = workload.number("stall_share").value_or(0);
  if (!(habits.stall_share >= 0 && habits.stall_share < 1)) {
    workload.problem("stall_share", "is no share from 0 to below 1", "out-of-range");
  }
  return habits;
}

void read_cluster_workload(ObjectReader workload, const Reading& reading,
                           ClusterScenario& scenario) {
  workload.required("kind", workload.choice<int>("kind", "kind of workload", {{"cluster", 0}}));
  scenario.habits = read_habits(workload);
  if (auto mix = workload.object("generate")) {
    scenario.jobs = read_mix(*mix, scenario.seed);
  } else if (auto trace = workload.object("trace")) {
    RecordedJobs jobs = read_trace(*trace, reading, scenario);
    if (auto models = workload.object("models")) {
      for (const std::string& name : models->keys()) {
        if (name == "notes") continue;
        if (auto entry = models->object(name)) {
          jobs.models.emplace(name, read_job_model(*entry, reading));
        }
      }
      models->finish();
    }
    check_models(workload, jobs);
    scenario.jobs = std::move(jobs);
  } else {
    workload.problem("trace", "is missing; write a \"trace\" or \"generate\"", "missing-key");
  }
  workload.finish();
}

// --- policies and nodes

NamedPolicy read_policy(ObjectReader& object) {
  using namespace cluster;
  NamedPolicy named;
  std::vector<std::pair<std::string, NamedRule>> rules;
  for (const NamedRule& rule : queue_rules) rules.emplace_back(rule.name, rule);
  const auto rule = object.choice<NamedRule>("rule", "rule of the queue", rules);
  if (!object.has("rule")) object.problem("rule", "is missing", "missing-key");
  if (rule) {
    named.policy.order = rule->order;
    named.policy.backfill = rule->backfill;
  }
  named.name = object.text("name").value_or(rule ? std::string(rule->name) : "");
  named.policy.packing =
      object
          .choice<Packing>("placement", "placement",
                           {{"pack", Packing::pack}, {"spread", Packing::spread}})
          .value_or(Packing::pack);
  named.policy.elasticity = object
                                .choice<Elasticity>("elasticity", "elasticity",
                                                    {{"none", Elasticity::none},
                                                     {"shrink", Elasticity::shrink},
                                                     {"resize", Elasticity::resize}})
                                .value_or(Elasticity::none);
  named.policy.overrun = object
                             .choice<Overrun>("overrun", "treatment of overruns",
                                              {{"run-on", Overrun::run_on}, {"cut", Overrun::cut}})
                             .value_or(Overrun::run_on);
  object.finish();
  return named;
}

void read_policies(ObjectReader& root, ClusterScenario& scenario) {
  for (ObjectReader& object : root.objects("policies")) {
    NamedPolicy policy = read_policy(object);
    for (const NamedPolicy& other : scenario.policies) {
      if (other.name != policy.name) continue;
      object.problem("name", fmt::format("two policies are called \"{}\"", policy.name),
                     "duplicate");
    }
    scenario.policies.push_back(std::move(policy));
  }
  if (scenario.policies.empty()) scenario.policies.push_back({"fifo", {}});
}

FaultClass read_fault(ObjectReader& object) {
  FaultClass fault;
  fault.name = object.required("name", object.text("name"));
  fault.mean_between =
      object.required("mean_between", object.quantity("mean_between", parse_duration));
  if (object.has("mean_between") && !(fault.mean_between >= unit::minute)) {
    object.problem("mean_between", "nothing works on nodes that fail within a minute",
                   "out-of-range");
  }
  fault.hits =
      object
          .choice<cluster::Hits>("hits", "target of a fault",
                                 {{"node", cluster::Hits::node}, {"gpu", cluster::Hits::gpu}})
          .value_or(cluster::Hits::node);
  fault.away = time_from(object, "away").value_or(SimTime{});
  fault.notice = time_from(object, "notice").value_or(SimTime{});
  constexpr double most_away = 10;  // beyond, nodes are hardly ever there and nothing gets done
  if (as_seconds(fault.away) * unit::s > fault.mean_between * most_away) {
    object.problem("away", "is more than ten times the time between faults", "out-of-range");
  }
  if (fault.hits == cluster::Hits::gpu && fault.away.ns > 0) {
    object.problem("away", "a fault of one GPU takes no node away; write hits \"node\"",
                   "contradiction");
  }
  object.finish();
  return fault;
}

NodesToRent read_nodes(ObjectReader& object, const Reading& reading) {
  NodesToRent nodes;
  const HostRule rule = [](const catalog::HostBook& hosts, const plan::Node& node) {
    return hosts.default_host(node.gpu, node.count);
  };
  read_rented(object, reading, rule, nodes);
  nodes.nodes = count_from(object, "nodes", 1, 100'000).value_or(1);
  for (ObjectReader& fault : object.objects("faults")) nodes.faults.push_back(read_fault(fault));
  if (nodes.node.count > 64) object.problem("node", "has more than 64 GPUs", "out-of-range");
  if (nodes.machines > 1) {
    object.problem("offer", "make \"nodes\" of the size of this offer", "contradiction");
  }
  return nodes;
}

ClusterCandidate read_candidate(ObjectReader& object, const Reading& reading) {
  ClusterCandidate candidate;
  candidate.pointer = object.pointer();
  if (object.has("groups")) {
    candidate.name = object.required("name", object.text("name"));
    for (ObjectReader& group : object.objects("groups")) {
      candidate.groups.push_back(read_nodes(group, reading));
      group.finish();
    }
    if (candidate.groups.empty()) object.problem("groups", "names no nodes", "missing-key");
  } else {
    candidate.groups.push_back(read_nodes(object, reading));
    candidate.name = candidate.groups.front().name;
  }
  object.finish();
  return candidate;
}

}  // namespace

ClusterScenario read_cluster(catalog::JsonDocument& document, const std::filesystem::path& folder,
                             Library& library) {
  ClusterScenario scenario;
  const Reading reading{library, folder};
  ObjectReader root(document);
  read_common(root, scenario);
  read_calibrations(root, reading, scenario);
  if (auto workload = root.object("workload")) {
    read_cluster_workload(*workload, reading, scenario);
  } else {
    root.required("workload", std::optional<int>{});
  }
  read_policies(root, scenario);
  for (ObjectReader& object : root.objects("candidates")) {
    scenario.candidates.push_back(read_candidate(object, reading));
    refuse_namesake(object, std::span<const ClusterCandidate>(scenario.candidates));
  }
  require_candidates(root);
  finish_scenario(root, scenario);
  return scenario;
}

}  // namespace gpucap::scenario

#include "job_speeds.hpp"

#include "gpucap/account/energy.hpp"
#include "gpucap/training/memory.hpp"
#include "gpucap/training/step.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace gpucap::scenario {
namespace {

using training::Question;

/// GPUs of a job, a share of one counted as one.
int whole_gpus(const workload::Job& job) {
  return static_cast<int>(std::max<std::int64_t>(1, (job.gpu_thousandths + 999) / 1000));
}

/// The job as one question: data-parallel over its GPUs, its batch spread over them.
Question question_of(const workload::Job& job, const JobModel::Timed& model,
                     const hardware::Gpu& gpu, Library& library) {
  Question question;
  question.network = model.network;
  question.settings = model.settings;
  question.software = model.software;
  const int gpus = whole_gpus(job);
  question.node.gpu = gpu;
  question.node.count = gpus;
  question.node.host = *library.hosts().default_cluster(gpu, gpus).host;
  question.layout.data = gpus;
  if (job.batch_size) {
    question.settings.micro_batch = std::max<std::int64_t>(1, *job.batch_size / gpus);
  }
  question.calibration = library.calibration(gpu);
  return question;
}

/// Smaller micro-batches until it fits; false when a single sample does not.
bool made_to_fit(Question& question) {
  while (!training::training_footprint(question).feasible) {
    if (question.settings.micro_batch == 1) return false;
    const std::int64_t batch = question.settings.micro_batch * question.settings.grad_accum;
    question.settings.micro_batch = (question.settings.micro_batch + 1) / 2;
    question.settings.grad_accum =
        (batch + question.settings.micro_batch - 1) / question.settings.micro_batch;
  }
  return true;
}

/// Ratio of two steps of one job. Where the record tells how long a step took, what it exceeds the
/// prediction by is taken to be computing too: software that is slower than its class computes
/// longer, but exchanges no more.
double speed_ratio(const workload::Job& job, const training::StepTime& here,
                   const training::StepTime& there) {
  const Seconds here_local = here.time - here.communication;
  const Seconds there_local = there.time - there.communication;
  Seconds recorded = there.time;
  if (job.iterations && *job.iterations > 0) {
    recorded = std::max(recorded,
                        as_seconds(job.duration) / static_cast<double>(*job.iterations) * unit::s);
  }
  const Seconds exchange_there = there.communication;
  const Seconds local = (recorded - exchange_there) * (here_local / there_local);
  return recorded / (local + here.communication);
}

/// Recorded steps that differ by less than a hundredth count as equal; -1: not known.
std::int64_t step_class(const workload::Job& job) {
  if (!job.iterations || *job.iterations <= 0) return -1;
  const double step_s = as_seconds(job.duration) / static_cast<double>(*job.iterations);
  return std::llround(std::log(step_s) * 100) + 10'000;
}

}  // namespace

JobSpeeds::JobSpeeds(const ClusterCandidate& candidate, const RecordedJobs& jobs,
                     const cluster::JobKind& habits, Library& library)
    : candidate_(&candidate), jobs_(&jobs), habits_(habits), library_(&library) {}

cluster::JobKind JobSpeeds::kind_of(const workload::Job& job) {
  const Key key{job.model, job.gpu_thousandths, job.batch_size.value_or(0),
                job.recorded_gpu.value_or(jobs_->recorded_gpu), step_class(job)};
  auto known = kinds_.find(key);
  if (known == kinds_.end()) known = kinds_.emplace(key, worked_out(job)).first;
  cluster::JobKind kind = known->second;
  kind.scaling = job.scalability;
  for (std::size_t i = 0; i < kind.speed.size(); ++i) {
    const std::string& gpu = candidate_->groups[i].node.gpu.id;
    const auto& allowed = job.gpu_models;
    note_unknown(allowed);
    const bool may =
        allowed.empty() || std::find(allowed.begin(), allowed.end(), gpu) != allowed.end();
    if (!may) kind.speed[i] = 0;
  }
  return kind;
}

void JobSpeeds::note_unknown(const std::vector<std::string>& allowed) {
  for (const std::string& name : allowed) {
    if (library_->gpu(name) != nullptr) continue;
    doubts_.insert(fmt::format("some jobs may run on \"{}\", which is no known GPU", name));
  }
}

cluster::JobKind JobSpeeds::worked_out(const workload::Job& job) {
  auto model = jobs_->models.find(job.model);
  if (model == jobs_->models.end()) model = jobs_->models.find("*");
  cluster::JobKind kind = habits_;
  kind.label = static_cast<std::uint32_t>(watts_.size());
  auto& watts = watts_.emplace_back();
  for (const NodesToRent& nodes : candidate_->groups) {
    const OnGroup found = on_group(job, model->second, nodes);
    kind.speed.push_back(found.speed);
    watts.push_back(found.watts);
    tell(job, nodes, found);
  }
  return kind;
}

JobSpeeds::OnGroup JobSpeeds::on_group(const workload::Job& job, const JobModel& model,
                                       const NodesToRent& nodes) {
  if (const auto* is_timed = std::get_if<JobModel::Timed>(&model.is)) {
    return timed(job, *is_timed, nodes);
  }
  if (const auto* is_stated = std::get_if<JobModel::Rated>(&model.is)) {
    return stated(*is_stated, nodes);
  }
  return rated(job, nodes);
}

JobSpeeds::OnGroup JobSpeeds::timed(const workload::Job& job, const JobModel::Timed& model,
                                    const NodesToRent& nodes) {
  const hardware::Gpu& gpu = nodes.node.gpu;
  Question here = question_of(job, model, gpu, *library_);
  here.node.host = nodes.node.host;
  if (here.node.count > nodes.node.host.max_gpus) {
    here.node.host = *library_->hosts().default_cluster(gpu, here.node.count).host;
  }
  if (!made_to_fit(here)) {
    doubts_.insert(fmt::format("jobs of {} do not fit into {}: {}", job.model, gpu.id,
                               training::training_footprint(here).reason));
    return {};
  }
  const training::StepTime step = training::training_step(here);
  const auto card =
      account::card_power(gpu, here.calibration.power, gpu.peak(here.settings.arithmetic));
  const Watts watts = account::active_power(card, step.time, step.work.flops, step.work.bytes);
  error_ = std::max(error_, step.relative_error);
  const hardware::Gpu* then = recorded(job);
  if (then == nullptr || then->id == gpu.id) return {1, watts};
  Question there = question_of(job, model, *then, *library_);
  if (!made_to_fit(there)) return {1, watts};
  return {speed_ratio(job, step, training::training_step(there)), watts};
}

JobSpeeds::OnGroup JobSpeeds::stated(const JobModel::Rated& model, const NodesToRent& nodes) {
  const auto ratio = model.speed.find(nodes.node.gpu.id);
  return {ratio == model.speed.end() ? 1 : ratio->second, half_power(nodes.node.gpu)};
}

JobSpeeds::OnGroup JobSpeeds::rated(const workload::Job& job, const NodesToRent& nodes) {
  const hardware::Gpu& gpu = nodes.node.gpu;
  const hardware::Gpu* then = recorded(job);
  if (then == nullptr || then->id == gpu.id) return {1, half_power(gpu)};
  const auto ratio = training::recurrent_ratio(gpu, library_->calibration(gpu), *then,
                                               library_->calibration(*then));
  ranges_[job.model + " on " + gpu.id] =
      fmt::format("not validated, between {:.2f} and {:.2f}", ratio.low, ratio.high);
  return {ratio.middle, half_power(gpu)};
}

const hardware::Gpu* JobSpeeds::recorded(const workload::Job& job) {
  const std::string name = job.recorded_gpu.value_or(jobs_->recorded_gpu);
  const hardware::Gpu* gpu = name.empty() ? nullptr : library_->gpu(name);
  if (gpu != nullptr) return gpu;
  doubts_.insert(name.empty()
                     ? "the trace names no recorded GPU, so run times are taken as they are on "
                       "every card; state \"recorded_gpu\""
                     : fmt::format("run times recorded on \"{}\", which is no known GPU, are taken "
                                   "as they are on every card",
                                   name));
  return nullptr;
}

/// Of a card at half its peak rate: nothing is known of the kernels.
Watts JobSpeeds::half_power(const hardware::Gpu& gpu) {
  const auto& shares = library_->calibration(gpu).power;
  return gpu.tdp * std::min(1.0, shares.active_floor + shares.compute / 2);
}

void JobSpeeds::tell(const workload::Job& job, const NodesToRent& nodes, const OnGroup& found) {
  const auto key = std::pair(job.model, nodes.node.gpu.id);
  const auto [at, fresh] = told_.emplace(key, std::pair(found.speed, found.speed));
  if (fresh) return;
  at->second.first = std::min(at->second.first, found.speed);
  at->second.second = std::max(at->second.second, found.speed);
}

std::vector<std::string> JobSpeeds::notes() const {
  std::vector<std::string> notes(doubts_.begin(), doubts_.end());
  for (const auto& [key, range] : told_) {
    const auto& [model, gpu] = key;
    if (range.second == 0 || (range.first == 1 && range.second == 1)) continue;
    const std::string ratio = range.second - range.first < 0.005
                                  ? fmt::format("{:.2f}", range.first)
                                  : fmt::format("{:.2f} to {:.2f}", range.first, range.second);
    const auto doubt = ranges_.find(model + " on " + gpu);
    notes.push_back(fmt::format("jobs of {} run at {} times the speed of {} on {}{}",
                                model.empty() ? "no stated model" : model, ratio,
                                jobs_->recorded_gpu.empty() ? "the record" : jobs_->recorded_gpu,
                                gpu, doubt == ranges_.end() ? "" : " (" + doubt->second + ")"));
  }
  return notes;
}

}  // namespace gpucap::scenario

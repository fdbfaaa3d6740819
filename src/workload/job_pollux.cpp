#include <map>
#include <optional>
#include <utility>

#include "job_fields.hpp"
#include "job_readers.hpp"
#include "job_table.hpp"
#include "step_profile.hpp"

namespace gpucap::workload {
namespace {

/// Model and global batch size.
using Kind = std::pair<std::string, std::int64_t>;

/// What an elasticflow trace says of whole jobs; where its jobs differ, the first one counts.
struct Work {
  std::map<Kind, std::int64_t> iterations;
  std::map<std::pair<Kind, std::int64_t>, SimTime> durations;  ///< by kind and thousandths of GPUs
};

Work read_work(const std::filesystem::path& path) {
  Work work;
  for (const Job& job : read_elasticflow(path, {.format = JobFormat::elasticflow}).jobs) {
    if (!job.batch_size || !job.iterations) continue;
    const Kind kind(job.model, *job.batch_size);
    work.iterations.try_emplace(kind, *job.iterations);
    work.durations.try_emplace({kind, job.gpu_thousandths}, job.duration);
  }
  return work;
}

class PolluxReader {
 public:
  PolluxReader(const std::filesystem::path& path, const JobTraceOptions& options)
      : folder_(*options.profiles),
        work_(read_work(*options.work)),
        table_(path),
        name_(table_.required("name")),
        time_(table_.required("time")),
        application_(table_.required("application")),
        replicas_(table_.required("num_replicas")),
        batch_(table_.required("batch_size")),
        jobs_(table_.file()) {
    check_folder(folder_);
    table_.finish_header();
  }

  JobTrace read() && {
    while (table_.next()) {
      Job job = read_job();
      if (!table_.good()) continue;
      const bool known = job.gpu_thousandths <= 0 || add_times(job);
      known ? jobs_.take(std::move(job)) : jobs_.drop(DropReason::no_profile);
    }
    return std::move(jobs_).finish();
  }

 private:
  Job read_job() {
    Job job;
    job.id = table_.words(name_);
    job.model = table_.words(application_);
    job.submit = table_.read(time_, parse_submit);
    job.gpu_thousandths = table_.read_if(replicas_, parse_gpus).value_or(0);
    job.batch_size = table_.read(batch_, parse_positive);
    return job;
  }

  /// Work and speed of the job; false where nothing is known of them.
  bool add_times(Job& job) {
    const Kind kind(job.model, *job.batch_size);
    const auto work = work_.iterations.find(kind);
    if (work == work_.iterations.end()) return false;
    job.iterations = work->second;
    const StepProfile& steps = profile(job.model);
    const bool whole = job.gpu_thousandths % 1000 == 0;
    const auto step = steps.step(whole ? job.gpu_thousandths / 1000 : 0, *job.batch_size);
    if (!step) return add_recorded(job, kind);
    job.duration = to_sim_time(*step * static_cast<double>(work->second));
    job.scalability = scalability(steps, kind);
    return true;
  }

  /// The duration of an equal job of the elasticflow trace.
  bool add_recorded(Job& job, const Kind& kind) const {
    const auto found = work_.durations.find({kind, job.gpu_thousandths});
    if (found == work_.durations.end()) return false;
    job.duration = found->second;
    return true;
  }

  const StepProfile& profile(const std::string& application) {
    const auto found = profiles_.find(application);
    if (found != profiles_.end()) return found->second;
    return profiles_.emplace(application, StepProfile(folder_, application)).first->second;
  }

  const std::shared_ptr<const Scalability>& scalability(const StepProfile& steps,
                                                        const Kind& kind) {
    const auto [found, fresh] = shared_.try_emplace(kind);
    if (fresh) found->second = steps.scalability(kind.second);
    return found->second;
  }

  std::filesystem::path folder_;
  Work work_;
  JobTable table_;
  JobColumn name_, time_, application_, replicas_, batch_;
  JobCollector jobs_;
  std::map<std::string, StepProfile> profiles_;
  std::map<Kind, std::shared_ptr<const Scalability>> shared_;
};

}  // namespace

JobTrace read_pollux(const std::filesystem::path& path, const JobTraceOptions& options) {
  return PolluxReader(path, options).read();
}

}  // namespace gpucap::workload

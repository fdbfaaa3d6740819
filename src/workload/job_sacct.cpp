#include <algorithm>
#include <array>
#include <utility>

#include "job_fields.hpp"
#include "job_readers.hpp"
#include "job_table.hpp"
#include "sacct_fields.hpp"
#include "trace_row.hpp"

namespace gpucap::workload {
namespace {

/// What Slurm prints for a time that does not exist.
bool is_unknown(std::string_view text) {
  return text.empty() || text == "Unknown" || text == "None" || text == "N/A";
}

bool is_unlimited(std::string_view text) {
  return is_unknown(text) || text == "UNLIMITED" || text == "Partition_Limit" || text == "INVALID";
}

/// Every field may be asked of sacct or not; where two say the same, the raw one wins.
struct Columns {
  explicit Columns(JobTable& table)
      : id(either(table, "JobID", "JobIDRaw")),
        submit(table.required("Submit")),
        start(table.optional("Start")),
        end(table.optional("End")),
        elapsed_raw(table.optional("ElapsedRaw")),
        elapsed(table.optional("Elapsed")),
        requested(table.optional("ReqTRES")),
        state(table.optional("State")),
        limit(table.optional("Timelimit")),
        user(table.optional("User")),
        job_name(table.optional("JobName")),
        priority(table.optional("Priority")) {
    allocated = requested ? table.optional("AllocTRES") : table.required("AllocTRES");
    const bool timed = elapsed || elapsed_raw || (start && end);
    if (!timed) elapsed_raw = table.required("ElapsedRaw");
    table.finish_header();
  }

  static JobColumn either(JobTable& table, std::string_view first, std::string_view second) {
    const JobColumn other = table.optional(second);
    return other ? table.optional(first).value_or(*other) : table.required(first);
  }

  JobColumn id, submit, start, end, elapsed_raw, elapsed, requested, allocated, state, limit, user,
      job_name, priority;
};

class SacctReader {
 public:
  explicit SacctReader(const std::filesystem::path& path)
      : table_(path, '|'), columns_(table_), jobs_(table_.file()) {}

  JobTrace read() && {
    while (table_.next()) {
      // Steps leave most fields blank; "123.batch", "123.0".
      if (table_.text(columns_.id).find('.') != std::string_view::npos) {
        jobs_.drop(DropReason::job_step);
      } else {
        read_row();
      }
    }
    return std::move(jobs_).finish(true);
  }

 private:
  void read_row() {
    if (is_unknown(table_.text(columns_.submit))) return jobs_.drop(DropReason::no_submit);
    Job job = read_job();
    if (!table_.good()) return;
    if (never_started(job)) return jobs_.drop(DropReason::never_started);
    if (unfinished()) return jobs_.drop(DropReason::unfinished);
    jobs_.take(std::move(job));
  }

  Job read_job() {
    Job job;
    job.id = table_.words(columns_.id);
    job.user = table_.words(columns_.user);
    job.model = table_.words(columns_.job_name);
    job.submit = table_.read(columns_.submit, parse_date_time);
    job.duration = read_elapsed();
    if (!is_unlimited(table_.text(columns_.limit))) {
      job.time_limit = table_.read(columns_.limit, parse_slurm_duration);
    }
    job.priority = table_.read_if(columns_.priority, parse_whole).value_or(0);
    read_gpus(job);
    return job;
  }

  SimTime read_elapsed() {
    if (columns_.elapsed_raw) {
      return table_.read_if(columns_.elapsed_raw, parse_run_time).value_or(SimTime{});
    }
    if (columns_.elapsed) {
      return table_.read_if(columns_.elapsed, parse_slurm_duration).value_or(SimTime{});
    }
    const bool known =
        !is_unknown(table_.text(columns_.start)) && !is_unknown(table_.text(columns_.end));
    if (!known) return {};
    const SimTime start = table_.read(columns_.start, parse_date_time);
    return {table_.read(columns_.end, parse_date_time).ns - start.ns};
  }

  void read_gpus(Job& job) {
    const auto asked = table_.read_if(columns_.requested, parse_tres).value_or(SlurmGpus{});
    const auto given = table_.read_if(columns_.allocated, parse_tres);
    job.gpu_thousandths = given ? given->thousandths : asked.thousandths;
    job.gpu_models = asked.models;
    if (given && given->models.size() == 1) job.recorded_gpu = given->models.front();
  }

  [[nodiscard]] std::string_view state() const {
    const std::string_view text = table_.text(columns_.state);
    return text.substr(0, text.find(' '));  // "CANCELLED by 1000"
  }

  [[nodiscard]] bool never_started(const Job& job) const {
    if (state() == "PENDING") return true;
    if (columns_.start && is_unknown(table_.text(columns_.start))) return true;
    return state() == "CANCELLED" && job.duration.ns <= 0;
  }

  [[nodiscard]] bool unfinished() const {
    constexpr std::array<std::string_view, 3> going = {"RUNNING", "SUSPENDED", "STOPPED"};
    if (std::find(going.begin(), going.end(), state()) != going.end()) return true;
    return columns_.end && is_unknown(table_.text(columns_.end));
  }

  JobTable table_;
  Columns columns_;
  JobCollector jobs_;
};

}  // namespace

JobTrace read_sacct(const std::filesystem::path& path) {
  return SacctReader(path).read();
}

}  // namespace gpucap::workload

#include <utility>

#include "job_fields.hpp"
#include "job_readers.hpp"
#include "job_table.hpp"

namespace gpucap::workload {
namespace {

struct Columns {
  explicit Columns(JobTable& table)
      : name(table.required("name")),
        gpus(table.required("num_gpu")),
        share(table.required("gpu_milli")),
        models(table.required("gpu_spec")),
        created(table.required("creation_time")),
        deleted(table.required("deletion_time")),
        scheduled(table.required("scheduled_time")) {
    table.finish_header();
  }
  JobColumn name, gpus, share, models, created, deleted, scheduled;
};

/// Thousandths of each GPU.
Parsed<std::int64_t> parse_share(std::string_view text) {
  const auto share = parse_whole(text);
  if (!share || (*share >= 0 && *share <= 1000)) return share;
  return ParseFailure{"thousandths of one GPU lie between 0 and 1000", "out-of-range"};
}

struct Pod {
  Job job;
  bool scheduled = false, deleted = false;
};

Pod read_pod(JobTable& table, const Columns& columns) {
  Pod pod;
  pod.job.id = table.words(columns.name);
  pod.job.submit = table.read(columns.created, parse_submit);
  pod.job.gpu_models = split_models(table.text(columns.models));
  const std::int64_t thousandths = table.read(columns.gpus, parse_gpus);
  pod.job.gpu_thousandths = thousandths / 1000 * table.read(columns.share, parse_share);
  const auto scheduled = table.read_if(columns.scheduled, parse_run_time);
  const auto deleted = table.read_if(columns.deleted, parse_run_time);
  pod.scheduled = scheduled.has_value();
  pod.deleted = deleted.has_value();
  if (scheduled && deleted) pod.job.duration.ns = deleted->ns - scheduled->ns;
  return pod;
}

}  // namespace

JobTrace read_openb(const std::filesystem::path& path) {
  JobTable table(path);
  const Columns columns(table);
  JobCollector jobs(table.file());
  while (table.next()) {
    Pod pod = read_pod(table, columns);
    if (!table.good()) continue;
    if (!pod.scheduled) {
      jobs.drop(DropReason::never_started);
    } else if (!pod.deleted) {
      jobs.drop(DropReason::unfinished);
    } else {
      jobs.take(std::move(pod.job));
    }
  }
  return std::move(jobs).finish();
}

}  // namespace gpucap::workload

#include <optional>
#include <utility>

#include "job_fields.hpp"
#include "job_readers.hpp"
#include "job_table.hpp"
#include "throughput_tables.hpp"

namespace gpucap::workload {
namespace {

/// The columns that both variants of the artefact have. `ddl` is a deadline, no limit, and is left;
/// so are `real_duration` and `real_iteration`, which are those of before any rescaling.
struct Columns {
  explicit Columns(JobTable& table)
      : id(table.required("job_id")),
        submit(table.required("submit_time")),
        model(table.required("model_name")),
        batch(table.required("batch_size")),
        gpus(table.required("num_gpu")),
        duration(table.required("duration")),
        iterations(table.required("iteration")) {
    table.finish_header();
  }
  JobColumn id, submit, model, batch, gpus, duration, iterations;
};

Job read_job(JobTable& table, const Columns& columns) {
  Job job;
  job.id = table.words(columns.id);
  job.model = table.words(columns.model);
  job.submit = table.read(columns.submit, parse_submit);
  job.gpu_thousandths = table.read_if(columns.gpus, parse_gpus).value_or(0);
  job.duration = table.read_if(columns.duration, parse_run_time).value_or(SimTime{});
  job.batch_size = table.read_if(columns.batch, parse_positive);
  job.iterations = table.read_if(columns.iterations, parse_positive);
  return job;
}

}  // namespace

JobTrace read_elasticflow(const std::filesystem::path& path, const JobTraceOptions& options) {
  std::optional<ThroughputTables> tables;
  if (options.profiles) tables.emplace(*options.profiles);
  JobTable table(path);
  const Columns columns(table);
  JobCollector jobs(table.file());
  while (table.next()) {
    Job job = read_job(table, columns);
    if (!table.good()) continue;
    if (tables && job.batch_size) job.scalability = tables->find(job.model, *job.batch_size);
    jobs.take(std::move(job));
  }
  return std::move(jobs).finish();
}

}  // namespace gpucap::workload

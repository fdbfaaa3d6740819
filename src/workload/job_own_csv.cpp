#include <algorithm>
#include <map>
#include <utility>

#include "job_columns.hpp"
#include "job_fields.hpp"
#include "job_readers.hpp"
#include "job_table.hpp"
#include "line_reader.hpp"
#include <fmt/format.h>

namespace gpucap::workload {
namespace {

struct Columns {
  explicit Columns(JobTable& table)
      : submit(table.required(own_column::submit)),
        gpus(table.required(own_column::gpus)),
        duration(table.required(own_column::duration)),
        id(table.optional(own_column::id)),
        user(table.optional(own_column::user)),
        model(table.optional(own_column::model)),
        time_limit(table.optional(own_column::time_limit)),
        priority(table.optional(own_column::priority)),
        gpu_models(table.optional(own_column::gpu_models)),
        batch_size(table.optional(own_column::batch_size)),
        iterations(table.optional(own_column::iterations)),
        recorded_gpu(table.optional(own_column::recorded_gpu)),
        scalability(table.optional(own_column::scalability)) {
    table.finish_header();
  }
  JobColumn submit, gpus, duration, id, user, model, time_limit, priority, gpu_models, batch_size,
      iterations, recorded_gpu, scalability;
};

Parsed<SimTime> parse_limit(std::string_view text) {
  const auto limit = parse_run_time(text);
  if (!limit || (*limit).ns > 0) return limit;
  return ParseFailure{"a time limit is above 0; leave it blank where there is none",
                      "out-of-range"};
}

/// "1:6.03 2:8.64", iterations per second by GPUs.
Parsed<Scalability> parse_scalability(std::string_view text) {
  Scalability points;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
    const std::size_t colon = pair.find(':');
    const auto gpus = parse_positive(pair.substr(0, colon));
    const auto rate = parse_iteration_rate(
        colon == std::string_view::npos ? std::string_view() : pair.substr(colon + 1));
    const bool ascending = gpus && (points.empty() || points.back().gpus < *gpus);
    if (!ascending || !rate) {
      return ParseFailure{
          fmt::format("\"{}\" is not GPUs:rate in ascending order, such as 1:6.03 2:8.64",
                      excerpt(pair)),
          "not-a-table"};
    }
    points.push_back({*gpus, *rate});
  }
  return points;
}

class OwnReader {
 public:
  explicit OwnReader(const std::filesystem::path& path)
      : table_(path), columns_(table_), jobs_(table_.file()) {}

  JobTrace read() && {
    while (table_.next()) {
      Job job;
      read_required(job);
      read_optional(job);
      if (table_.good()) jobs_.take(std::move(job));
    }
    return std::move(jobs_).finish();
  }

 private:
  void read_required(Job& job) {
    job.submit = table_.read(columns_.submit, parse_submit);
    job.gpu_thousandths = table_.read_if(columns_.gpus, parse_gpus).value_or(0);
    job.duration = table_.read_if(columns_.duration, parse_run_time).value_or(SimTime{});
  }

  void read_optional(Job& job) {
    job.id = table_.words(columns_.id);
    job.user = table_.words(columns_.user);
    job.model = table_.words(columns_.model);
    job.time_limit = table_.read_if(columns_.time_limit, parse_limit);
    job.priority = table_.read_if(columns_.priority, parse_whole).value_or(0);
    job.gpu_models = split_models(table_.words(columns_.gpu_models));
    job.batch_size = table_.read_if(columns_.batch_size, parse_positive);
    job.iterations = table_.read_if(columns_.iterations, parse_positive);
    if (!table_.blank(columns_.recorded_gpu)) {
      job.recorded_gpu = table_.words(columns_.recorded_gpu);
    }
    if (!table_.blank(columns_.scalability)) job.scalability = read_scalability();
  }

  /// Equal texts share one table, as most jobs of one kind do.
  std::shared_ptr<const Scalability> read_scalability() {
    const std::string_view text = table_.text(columns_.scalability);
    const auto found = tables_.find(text);
    if (found != tables_.end()) return found->second;
    auto points = table_.read(columns_.scalability, parse_scalability);
    if (!table_.good() || points.empty()) return nullptr;
    return tables_
        .emplace(std::string(text), std::make_shared<const Scalability>(std::move(points)))
        .first->second;
  }

  JobTable table_;
  Columns columns_;
  JobCollector jobs_;
  std::map<std::string, std::shared_ptr<const Scalability>, std::less<>> tables_;
};

}  // namespace

JobTrace read_own_jobs(const std::filesystem::path& path) {
  return OwnReader(path).read();
}

}  // namespace gpucap::workload

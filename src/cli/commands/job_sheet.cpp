#include "job_sheet.hpp"

#include "gpucap/workload/inspect_jobs.hpp"

#include <fmt/format.h>

namespace gpucap::cli {
namespace {

using report::Listing;
using report::Shown;

void add_dropped(Listing& sheet, const workload::JobTrace& trace) {
  sheet.rows.push_back({"dropped_rows", trace.rows - static_cast<std::int64_t>(trace.jobs.size())});
  for (std::size_t i = 0; i < workload::drop_reasons; ++i) {
    if (trace.dropped[i] == 0) continue;
    const auto reason = static_cast<workload::DropReason>(i);
    sheet.rows.push_back({fmt::format("dropped_{}", name(reason)), trace.dropped[i]});
  }
  sheet.rows.push_back({"out_of_order_rows", trace.out_of_order});
  sheet.rows.push_back({"repeated_ids", trace.repeated_ids});
}

void add_sizes(Listing& sheet, const workload::JobSummary& jobs) {
  for (const workload::JobSize& size : jobs.sizes) {
    const double gpus = static_cast<double>(size.gpu_thousandths) / 1000;
    sheet.rows.push_back({fmt::format("jobs_of_{}_gpus", gpus), size.jobs});
  }
}

}  // namespace

report::Listing job_sheet(const workload::JobTrace& trace) {
  const workload::JobSummary jobs = inspect(trace);
  Listing sheet{{{"field", "FIELD"}, {"value", "VALUE", Shown::exact}},
                {{"jobs", static_cast<std::int64_t>(trace.jobs.size())}}};
  add_dropped(sheet, trace);
  sheet.rows.push_back({"first_submit_s", as_seconds(jobs.first_submit)});
  sheet.rows.push_back({"last_submit_s", as_seconds(jobs.last_submit)});
  sheet.rows.push_back({"span_days", jobs.span().in(unit::day)});
  sheet.rows.push_back({"gpu_hours", jobs.gpu_time.in(unit::hour)});
  sheet.rows.push_back({"mean_gpus_without_waiting", report::number_cell(jobs.mean_gpus)});
  sheet.rows.push_back({"most_gpus_without_waiting", jobs.most_gpus});
  sheet.rows.push_back({"duration_p50_s", as_seconds(jobs.duration.p50)});
  sheet.rows.push_back({"duration_p95_s", as_seconds(jobs.duration.p95)});
  sheet.rows.push_back({"duration_max_s", as_seconds(jobs.duration.max)});
  sheet.rows.push_back({"jobs_with_iterations", jobs.with_iterations});
  sheet.rows.push_back({"jobs_with_scalability", jobs.elastic});
  sheet.rows.push_back({"jobs_for_named_gpus", jobs.restricted});
  add_sizes(sheet, jobs);
  return sheet;
}

}  // namespace gpucap::cli

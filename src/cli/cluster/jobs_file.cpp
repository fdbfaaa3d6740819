#include "jobs_file.hpp"

#include "gpucap/core/error.hpp"
#include "gpucap/report/listing.hpp"

#include <fmt/format.h>

namespace gpucap::cli {
namespace {

constexpr const char* columns =
    "policy,candidate,job,ending,group,gpus,nodes,submit_s,start_s,end_s,queue_s,waited_again_s,"
    "restarts,gpu_hours_held,gpu_hours_lost,energy_kwh\r\n";

const char* word(const cluster::JobRow& row) {
  if (row.cut) return "cut";
  switch (row.ending) {
    case cluster::Ending::finished:
      return "finished";
    case cluster::Ending::given_up:
      return "given_up";
    case cluster::Ending::unfinished:
      return "unfinished";
  }
  return "";
}

std::string text(const std::string& value) {
  return report::csv_field(report::text_cell(value));
}

std::string seconds(SimTime time) {
  return fmt::format("{}.{:09}", time.ns / 1'000'000'000, time.ns % 1'000'000'000);
}

}  // namespace

JobsFile::JobsFile(const std::filesystem::path& path)
    : path_(path), out_(path, std::ios::binary | std::ios::trunc) {
  out_ << columns;
}

void JobsFile::begin(const std::string& policy, const evaluate::ClusterCase& one) {
  policy_ = text(policy);
  candidate_ = text(one.name);
  case_ = &one;
}

void JobsFile::ended(const cluster::JobRow& row) {
  const bool ran = row.first_start.has_value();
  const Watts busy = case_->busy_watts.at(row.job.kind->label).at(row.group);
  const Joules energy = busy * ((row.use.useful + row.use.lost).gpu_seconds() * unit::s);
  out_ << fmt::format(
      "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n", policy_, candidate_, text(row.job.id),
      word(row), ran ? text(case_->plan.groups.at(row.group).name) : "",
      static_cast<double>(row.job.gpu_thousandths) / 1000, row.nodes, seconds(row.job.submit),
      ran ? seconds(*row.first_start) : "", seconds(row.end),
      ran ? seconds(*row.queueing_delay()) : "", seconds(row.waited_again), row.restarts,
      row.use.held().gpu_seconds() / 3600, row.use.lost.gpu_seconds() / 3600, energy.in(unit::kWh));
}

void JobsFile::close() {
  out_.close();
  if (!out_) throw InputError(Problem{path_.string(), "", "", "cannot be written", "cannot-write"});
}

}  // namespace gpucap::cli

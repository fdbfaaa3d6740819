#include "throughput_tables.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "job_fields.hpp"
#include "job_readers.hpp"
#include "job_table.hpp"

namespace gpucap::workload {
namespace {

constexpr std::string_view batch_column = "global_batch_size";

struct Counted {
  JobColumn column;
  std::int64_t gpus = 0;
};

/// The columns that are called by a number of GPUs, ascending.
std::vector<Counted> gpu_columns(JobTable& table) {
  std::vector<Counted> columns;
  for (const std::string& name : table.names()) {
    const auto gpus = parse_positive(name);
    if (gpus) columns.push_back({table.required(name), *gpus});
  }
  std::sort(columns.begin(), columns.end(),
            [](const Counted& a, const Counted& b) { return a.gpus < b.gpus; });
  return columns;
}

Scalability read_row(JobTable& table, const std::vector<Counted>& columns) {
  Scalability points;
  for (const Counted& counted : columns) {
    const auto rate = table.read_if(counted.column, parse_iteration_rate);
    if (rate) points.push_back({counted.gpus, *rate});
  }
  return points;
}

}  // namespace

ThroughputTables::ThroughputTables(std::filesystem::path folder) : folder_(std::move(folder)) {
  check_folder(folder_);
}

const ThroughputTables::ByBatch& ThroughputTables::table(const std::string& model) {
  const auto [found, fresh] = tables_.try_emplace(model);
  const std::filesystem::path file = folder_ / (model + ".csv");
  // A model that is called by a path would lead out of the folder.
  const bool inside = model.find('/') == std::string::npos;
  if (!fresh || !inside || !std::filesystem::exists(file)) return found->second;
  JobTable table(file);
  const JobColumn batch = table.required(batch_column);
  const std::vector<Counted> columns = gpu_columns(table);
  table.finish_header();
  while (table.next()) {
    const std::int64_t size = table.read(batch, parse_positive);
    Scalability points = read_row(table, columns);
    if (!table.good() || points.empty()) continue;
    const bool first = found->second.count(size) == 0;
    if (!first) table.note(batch, {"the batch size stands twice", "duplicate-row"});
    found->second[size] = std::make_shared<const Scalability>(std::move(points));
  }
  return found->second;
}

std::shared_ptr<const Scalability> ThroughputTables::find(const std::string& model,
                                                          std::int64_t batch_size) {
  const ByBatch& rows = table(model);
  const auto row = rows.find(batch_size);
  return row == rows.end() ? nullptr : row->second;
}

}  // namespace gpucap::workload

#include "step_profile.hpp"

#include <iterator>
#include <utility>

#include "job_fields.hpp"
#include "job_table.hpp"
#include <fmt/format.h>

namespace gpucap::workload {
namespace {

// Nodes of the profiled cluster held four GPUs: no digit of a placement is larger.
constexpr std::int64_t gpus_per_node = 4;

Parsed<Seconds> parse_step(std::string_view text) {
  const auto time = parse_run_time(text);
  if (!time) return time.failure();
  if ((*time).ns > 0) return as_seconds(*time) * unit::s;
  return ParseFailure{"a step takes more than no time", "out-of-range"};
}

Parsed<Seconds> parse_exchange(std::string_view text) {
  const auto time = parse_submit(text);
  if (!time) return time.failure();
  return as_seconds(*time) * unit::s;
}

/// GPUs of a placement such as "244", one digit per node, when it is packed: all nodes but the
/// first one are full. Other placements say nothing that is asked for.
std::optional<std::int64_t> packed_gpus(std::string_view placement) {
  if (placement.empty() || placement.find_first_not_of('4', 1) != std::string_view::npos) {
    return std::nullopt;
  }
  const std::int64_t first = placement.front() - '0';
  if (first < 1 || first > gpus_per_node) return std::nullopt;
  return first + gpus_per_node * static_cast<std::int64_t>(placement.size() - 1);
}

std::int64_t nodes_for(std::int64_t gpus) {
  return (gpus + gpus_per_node - 1) / gpus_per_node;
}

}  // namespace

StepProfile::StepProfile(const std::filesystem::path& folder, const std::string& application) {
  // An application that is called by a path would lead out of the folder.
  if (application.find('/') != std::string::npos) return;
  read_placements(folder / (application + "-placements.csv"));
  read_scalability(folder / (application + "-scalability.csv"));
}

void StepProfile::read_placements(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return;
  JobTable table(file);
  const JobColumn placement = table.required("placement"), share = table.required("local_bsz"),
                  step = table.required("step_time"), exchange = table.required("sync_time");
  table.finish_header();
  while (table.next()) {
    const auto gpus = packed_gpus(table.text(placement));
    if (!gpus) continue;
    const std::int64_t samples = table.read(share, parse_positive);
    const Time time{table.read(step, parse_step), table.read(exchange, parse_exchange)};
    if (table.good()) by_gpus_[*gpus].try_emplace(samples, time);
  }
}

void StepProfile::read_scalability(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return;
  JobTable table(file);
  const JobColumn nodes = table.required("num_nodes"), replicas = table.required("num_replicas"),
                  share = table.required("local_bsz"), step = table.required("step_time"),
                  exchange = table.required("sync_time");
  table.finish_header();
  while (table.next()) {
    const std::int64_t gpus = table.read(replicas, parse_positive);
    const bool packed = table.read(nodes, parse_positive) == nodes_for(gpus);
    const std::int64_t samples = table.read(share, parse_positive);
    const Time time{table.read(step, parse_step), table.read(exchange, parse_exchange)};
    if (table.good() && packed) by_gpus_[gpus].try_emplace(samples, time);
  }
}

StepProfile::Time StepProfile::at(const ByShare& times, double share) {
  const auto above = times.lower_bound(static_cast<std::int64_t>(std::ceil(share)));
  if (above == times.begin()) return above->second;
  if (above == times.end()) return times.rbegin()->second;
  const auto below = std::prev(above);
  const auto from = static_cast<double>(below->first), to = static_cast<double>(above->first);
  const double weight = (share - from) / (to - from);
  const auto between = [&](Seconds a, Seconds b) { return a + (b - a) * weight; };
  return {between(below->second.step, above->second.step),
          between(below->second.exchange, above->second.exchange)};
}

std::optional<Seconds> StepProfile::step(std::int64_t gpus, std::int64_t batch_size) const {
  const auto times = by_gpus_.find(gpus);
  if (times == by_gpus_.end()) return std::nullopt;
  const double share = static_cast<double>(batch_size) / static_cast<double>(gpus);
  const auto largest = static_cast<double>(times->second.rbegin()->first);
  const double parts = std::ceil(share / largest);
  const Time part = at(times->second, share / parts);
  return part.step * parts - part.exchange * (parts - 1);
}

std::shared_ptr<const Scalability> StepProfile::scalability(std::int64_t batch_size) const {
  Scalability points;
  for (const auto& [gpus, times] : by_gpus_) {
    if (gpus <= batch_size)
      points.push_back({gpus, unit::s / *step(gpus, batch_size) * unit::per_s});
  }
  return points.empty() ? nullptr : std::make_shared<const Scalability>(std::move(points));
}

}  // namespace gpucap::workload

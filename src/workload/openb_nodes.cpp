#include "gpucap/workload/node_list.hpp"

#include <map>
#include <utility>

#include "job_fields.hpp"
#include "job_table.hpp"
#include <fmt/format.h>

namespace gpucap::workload {
namespace {

Parsed<std::int64_t> parse_node_gpus(std::string_view text) {
  const auto gpus = parse_whole(text);
  if (!gpus || *gpus >= 0) return gpus;
  return ParseFailure{fmt::format("{} is negative", *gpus), "out-of-range"};
}

}  // namespace

NodeList read_openb_nodes(const std::filesystem::path& path) {
  JobTable table(path);
  const JobColumn gpus = table.required("gpu"), model = table.required("model");
  table.finish_header();
  NodeList list;
  std::map<std::pair<std::string, std::int64_t>, std::int64_t> nodes;
  while (table.next()) {
    const std::int64_t count = table.read(gpus, parse_node_gpus);
    ++(count == 0 ? list.nodes_without_gpus : nodes[{table.words(model), count}]);
  }
  for (const auto& [kind, count] : nodes) {
    list.groups.push_back({kind.first, kind.second, count});
  }
  return list;
}

}  // namespace gpucap::workload

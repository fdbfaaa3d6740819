#include "gpucap/catalog/fact.hpp"
#include "gpucap/catalog/hosts.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace gpucap::catalog {
namespace {

using hardware::Host;
using hardware::LinkKind;

std::optional<LinkKind> read_link(ObjectReader& root) {
  std::vector<std::pair<std::string, LinkKind>> words;
  for (const LinkKind kind :
       {LinkKind::nvswitch, LinkKind::nvlink_bridge, LinkKind::infinity_fabric,
        LinkKind::pcie_peer_to_peer, LinkKind::pcie_through_host}) {
    words.emplace_back(name(kind), kind);
  }
  return root.choice("link", "link", words);
}

/// One number of the ring with its source; zero and below are refused.
template <class Q>
hardware::Fact read_ring(ObjectReader& root, std::string_view key, Q& target,
                         Parsed<Q> (*parse)(std::string_view)) {
  auto fact = FactReader::required(root, key);
  if (!fact) return {};
  const auto value = fact->cell().quantity("value", parse);
  if (value && *value <= Q{}) fact->cell().problem("value", "must be above zero", "out-of-range");
  target = value.value_or(Q{});
  return fact->fact();
}

int read_max_gpus(ObjectReader& root) {
  const auto count = root.required("max_gpus", root.count("max_gpus"));
  if (root.has("max_gpus") && (count < 1 || count > 1024)) {
    root.problem("max_gpus", "must be between 1 and 1024", "out-of-range");
  }
  return static_cast<int>(count);
}

}  // namespace

HostSheet read_host(JsonDocument document) {
  HostSheet sheet;
  Host& host = sheet.host;
  ObjectReader root(document);
  host.id = root.required("id", root.text("id"));
  host.name = root.required("name", root.text("name"));
  host.max_gpus = read_max_gpus(root);
  host.link = root.required("link", read_link(root));
  sheet.default_for = root.texts("default_for");
  const auto bandwidth = read_ring(root, "ring_bandwidth", host.ring_bandwidth, parse_bandwidth);
  const auto latency = read_ring(root, "ring_latency", host.ring_latency, parse_duration);
  host.measured = bandwidth.kind == "measured";
  host.source = fmt::format("{} ({}); start: {} ({})", bandwidth.source, bandwidth.kind,
                            latency.source, latency.kind);
  root.finish();
  const std::string stem = std::filesystem::path(document.file()).stem().string();
  if (!host.id.empty() && host.id != stem) {
    root.problem("id", fmt::format("\"{}\" stands in a file named \"{}.json\"", host.id, stem),
                 "wrong-id");
  }
  document.throw_if_problems();
  return sheet;
}

}  // namespace gpucap::catalog

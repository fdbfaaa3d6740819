#include "gpucap/catalog/fact.hpp"
#include "gpucap/catalog/hosts.hpp"

#include <charconv>
#include <filesystem>

#include <fmt/format.h>

namespace gpucap::catalog {
namespace {

using hardware::Host;
using hardware::HostLayout;
using hardware::PcieLink;
using hardware::PeerReach;

/// A whole number within its limits, or a problem; `absent` when the file does not state it.
int read_count(ObjectReader& root, std::string_view key, int absent, int least, int most) {
  const auto count = root.count(key);
  if (!count) return absent;
  if (*count < least || *count > most) {
    root.problem(key, fmt::format("must be between {} and {}", least, most), "out-of-range");
    return absent;
  }
  return static_cast<int>(*count);
}

std::optional<int> digits(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool skip(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// "PCIe 4 x16"
std::optional<PcieLink> parse_pcie(std::string_view text) {
  if (!skip(text, "PCIe ")) return std::nullopt;
  const auto generation = digits(text);
  if (!generation || *generation < 1 || *generation > 6 || !skip(text, " x")) return std::nullopt;
  const auto lanes = digits(text);
  const bool power_of_two = lanes && *lanes >= 1 && *lanes <= 16 && (*lanes & (*lanes - 1)) == 0;
  if (!power_of_two || !text.empty()) return std::nullopt;
  return PcieLink{*generation, *lanes};
}

/// Reads the layout of one host file and keeps where each figure comes from.
class LayoutReader {
 public:
  LayoutReader(ObjectReader& root, Host& host) : root_(root), host_(host) {}

  void read() {
    read_counts();
    read_pcie();
    read_peers();
    HostLayout& layout = host_.layout;
    layout.nvswitch = bandwidth("nvswitch");
    layout.nvlink_bridge = bandwidth("nvlink_bridge");
    layout.infinity_fabric = bandwidth("infinity_fabric");
    layout.socket_link = bandwidth("socket_link");
    layout.host_memory = required_bandwidth("host_memory");
    layout.nic = bandwidth("nic");
    check();
  }

 private:
  void read_counts() {
    HostLayout& layout = host_.layout;
    constexpr int many = 64;
    layout.machines = read_count(root_, "machines", 1, 1, many);
    layout.sockets = root_.required("sockets", present(read_count(root_, "sockets", 0, 1, many)));
    layout.gpus_per_socket = root_.required(
        "gpus_per_socket", present(read_count(root_, "gpus_per_socket", 0, 1, many)));
    layout.gpus_per_switch =
        read_count(root_, "gpus_per_switch", 0, 1, std::max(1, layout.gpus_per_socket));
    layout.nics = read_count(root_, "nics_per_machine", 0, 1, many);
  }

  static std::optional<int> present(int count) {
    return count == 0 ? std::nullopt : std::optional(count);
  }

  void read_pcie() {
    auto fact = FactReader::required(root_, "pcie");
    if (!fact) return;
    const auto written = fact->cell().text("value");
    if (!written) return;
    keep("pcie", *written, *fact);
    if (const auto link = parse_pcie(*written)) {
      host_.layout.pcie = *link;
    } else {
      fact->cell().problem("value", "must read like \"PCIe 4 x16\"", "bad-value");
    }
  }

  void read_peers() {
    auto fact = FactReader::required(root_, "peer_to_peer");
    if (!fact) return;
    static const std::vector<std::pair<std::string, PeerReach>> words = {
        {"none", PeerReach::none},
        {"below_switch", PeerReach::below_switch},
        {"below_socket", PeerReach::below_socket},
        {"everywhere", PeerReach::everywhere}};
    const auto reach = fact->cell().choice("value", "reach of peer-to-peer", words);
    if (!reach) return;
    host_.layout.peers = *reach;
    keep("peer_to_peer", *fact->cell().text("value"), *fact);
  }

  std::optional<Bandwidth> bandwidth(std::string_view key) {
    auto fact = FactReader::optional(root_, key);
    if (!fact) return std::nullopt;
    const auto value = fact->cell().quantity("value", parse_bandwidth);
    if (!value) return std::nullopt;
    if (*value <= Bandwidth{}) {
      fact->cell().problem("value", "must be above zero", "out-of-range");
      return std::nullopt;
    }
    keep(key, *fact->cell().text("value"), *fact);
    return value;
  }

  Bandwidth required_bandwidth(std::string_view key) { return root_.required(key, bandwidth(key)); }

  void keep(std::string_view key, std::string value, const FactReader& fact) {
    host_.figures.push_back({std::string(key), std::move(value), fact.fact()});
  }

  void check() {
    const HostLayout& layout = host_.layout;
    if (layout.sockets > 1 && !layout.socket_link && !root_.has("socket_link")) {
      root_.problem("sockets", "needs a \"socket_link\" between them", "missing-key");
    }
    if (layout.machines > 1 && (layout.nics == 0 || !root_.has("nic"))) {
      root_.problem("machines", "needs \"nics_per_machine\" and a \"nic\"", "missing-key");
    }
    if (layout.peers == PeerReach::below_switch && layout.gpus_per_switch == 0) {
      root_.problem("peer_to_peer", "\"below_switch\" needs \"gpus_per_switch\"", "missing-key");
    }
  }

  ObjectReader& root_;
  Host& host_;
};

}  // namespace

HostSheet read_host(JsonDocument document) {
  HostSheet sheet;
  Host& host = sheet.host;
  ObjectReader root(document);
  host.id = root.required("id", root.text("id"));
  host.name = root.required("name", root.text("name"));
  sheet.default_for = root.texts("default_for");
  sheet.default_cluster_for = root.texts("default_cluster_for");
  LayoutReader(root, host).read();
  root.finish();
  const std::string stem = std::filesystem::path(document.file()).stem().string();
  if (!host.id.empty() && host.id != stem) {
    root.problem("id", fmt::format("\"{}\" stands in a file named \"{}.json\"", host.id, stem),
                 "wrong-id");
  }
  document.throw_if_problems();
  host.max_gpus = host.layout.gpus();
  host.link = host.layout.link();
  host.topology = build_topology(host.layout);
  return sheet;
}

}  // namespace gpucap::catalog

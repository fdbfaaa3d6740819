#include "gpucap/catalog/hosts.hpp"

#include "gpucap/catalog/json_folder.hpp"
#include "gpucap/core/nearest_name.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace gpucap::catalog {
namespace {

using hardware::Gpu;
using hardware::PeerToPeer;

InputError fault(std::string message, std::string code) {
  return InputError(Problem{"", "", "", std::move(message), std::move(code)});
}

std::string pcie_host_id(const Gpu& gpu) {
  if (gpu.form_factor != "pcie" || !gpu.pcie_generation) return "";
  const bool direct = gpu.peer_to_peer == PeerToPeer::yes;
  return fmt::format("pcie{}-{}", *gpu.pcie_generation, direct ? "p2p" : "no-p2p");
}

/// Enters the host as the default of the cards that its file lists.
void claim(const std::vector<std::string>& cards, const char* key, const std::string& host,
           std::map<std::string, std::string, std::less<>>& host_of) {
  for (const std::string& card : cards) {
    if (host_of.emplace(card, host).second) continue;
    throw fault(
        fmt::format("\"{}\" and \"{}\" are both {} \"{}\"", host_of.at(card), host, key, card),
        "duplicate-name");
  }
}

}  // namespace

HostBook::HostBook(std::vector<HostSheet> sheets) {
  std::sort(sheets.begin(), sheets.end(),
            [](const HostSheet& a, const HostSheet& b) { return a.host.id < b.host.id; });
  for (HostSheet& sheet : sheets) {
    if (find(sheet.host.id) != nullptr) {
      throw fault(fmt::format("two hosts are named \"{}\"", sheet.host.id), "duplicate-name");
    }
    claim(sheet.default_for, "default_for", sheet.host.id, home_of_);
    claim(sheet.default_cluster_for, "default_cluster_for", sheet.host.id, cluster_of_);
    hosts_.push_back(std::move(sheet.host));
  }
}

const hardware::Host* HostBook::find(std::string_view id) const {
  const auto found = std::find_if(hosts_.begin(), hosts_.end(),
                                  [&](const hardware::Host& host) { return host.id == id; });
  return found == hosts_.end() ? nullptr : &*found;
}

std::string HostBook::unknown(std::string_view id) const {
  std::vector<std::string> ids;
  for (const hardware::Host& host : hosts_) ids.push_back(host.id);
  return unknown_name("host", id, ids);
}

HostChoice HostBook::default_host(const Gpu& gpu, int count) const {
  HostChoice choice;
  const auto home = home_of_.find(gpu.id);
  choice.host = find(home != home_of_.end() ? home->second : pcie_host_id(gpu));
  if (choice.host == nullptr) {
    throw fault(fmt::format("no default host is known for {}; name one with --host", gpu.id),
                "no-default-host");
  }
  if (count > choice.host->max_gpus) {
    throw fault(fmt::format("{} {} do not fit into host \"{}\", which holds {}", count, gpu.id,
                            choice.host->id, choice.host->max_gpus),
                "too-many-gpus");
  }
  if (home == home_of_.end() && gpu.peer_to_peer == PeerToPeer::unknown && count > 1) {
    choice.caveat = fmt::format(
        "peer-to-peer of {} is not settled by a source: copies between cards are taken to go "
        "through host memory",
        gpu.id);
  }
  return choice;
}

HostChoice HostBook::default_cluster(const Gpu& gpu, int count) const {
  const auto cluster = cluster_of_.find(gpu.id);
  const auto home = home_of_.find(gpu.id);
  const auto* machine = find(home != home_of_.end() ? home->second : pcie_host_id(gpu));
  if (machine == nullptr || count <= machine->max_gpus) return default_host(gpu, count);
  if (cluster == cluster_of_.end()) {
    throw fault(fmt::format("{} {} fill more than one machine, and no network is known for them; "
                            "name a host with NICs, such as two-nodes-100g",
                            count, gpu.id),
                "no-default-host");
  }
  const auto* host = find(cluster->second);
  return {host, fmt::format("{} {} stand in machines that are taken to be joined as {}: {}", count,
                            gpu.id, host->id, host->name)};
}

HostBook load_hosts(const std::filesystem::path& data_directory) {
  std::vector<HostSheet> sheets;
  for (const std::string& file : json_files(data_directory / "calibration" / "hosts")) {
    sheets.push_back(read_host(JsonDocument::read(file)));
  }
  return HostBook(std::move(sheets));
}

}  // namespace gpucap::catalog

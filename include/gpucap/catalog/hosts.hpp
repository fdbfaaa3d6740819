#pragma once

#include "gpucap/catalog/json_document.hpp"
#include "gpucap/hardware/gpu.hpp"
#include "gpucap/hardware/host.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpucap::catalog {

/// A host file: the host and the cards whose usual home it is.
struct HostSheet {
  hardware::Host host;
  std::vector<std::string> default_for;          ///< GPU ids
  std::vector<std::string> default_cluster_for;  ///< GPU ids; beyond one machine
};

/// Reads one host file. Throws InputError with every problem.
HostSheet read_host(JsonDocument document);

/// The host that a card gets when the user names none, and what that choice takes for granted.
struct HostChoice {
  const hardware::Host* host = nullptr;  ///< owned by the book
  std::string caveat;  ///< empty, or a sentence for the report, such as "peer-to-peer of ..."
};

/// All known hosts, sorted by id.
class HostBook {
 public:
  /// Two hosts with one id, or two that claim one card, throw InputError.
  explicit HostBook(std::vector<HostSheet> sheets);

  [[nodiscard]] const std::vector<hardware::Host>& all() const { return hosts_; }
  [[nodiscard]] const hardware::Host* find(std::string_view id) const;
  /// `unknown host "hgx-h10"; did you mean "hgx-h100"?`
  [[nodiscard]] std::string unknown(std::string_view id) const;

  /// The host for `count` such cards when none is named:
  /// 1. the host whose file lists the card under "default_for" (boards of SXM and OAM cards, A100
  ///    on PCIe);
  /// 2. else, by PCIe generation, "pcie<n>-p2p" where the card's peer-to-peer is "yes", and
  ///    "pcie<n>-no-p2p" where it is "no" or "unknown"; "unknown" sets the caveat.
  /// NVLink bridges are never assumed. Throws InputError when there is no such host, or when
  /// `count` cards do not fit into it.
  [[nodiscard]] HostChoice default_host(const hardware::Gpu& gpu, int count) const;

  /// The same where cards may fill several equal machines: the default host while it holds them,
  /// else the host whose file lists the card under "default_cluster_for", with its network as the
  /// caveat. Throws InputError when there is none.
  [[nodiscard]] HostChoice default_cluster(const hardware::Gpu& gpu, int count) const;

 private:
  std::vector<hardware::Host> hosts_;
  std::map<std::string, std::string, std::less<>> home_of_, cluster_of_;
};

/// Reads calibration/hosts/*.json below `data_directory`.
HostBook load_hosts(const std::filesystem::path& data_directory);

}  // namespace gpucap::catalog

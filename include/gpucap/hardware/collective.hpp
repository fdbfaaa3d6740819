#pragma once

#include "gpucap/hardware/topology.hpp"
#include "gpucap/units/quantity.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpucap::hardware {

/// Exchanges between cards.
enum class Collective { all_reduce, all_gather, reduce_scatter, all_to_all, send_recv };

/// The words of the data files: "all_reduce", ...
std::string_view name(Collective collective);

/// The share of its payload that a rank sends: 2 (n-1)/n for an all-reduce, 1 for send_recv, else
/// (n-1)/n.
double sent_share(Collective collective, int ranks);

/// What copies over links of one kind achieve, fitted to measurements
/// (calibration/fits/links.json).
struct LinkRate {
  double efficiency = 1;  ///< achieved over nominal bandwidth
  double error = 0;       ///< of the efficiency, relative, hosts left out one at a time; 0 = none
  Seconds hop;            ///< one step of a ring over such a link
  std::string source;
};

struct LinkRates {
  Seconds launch;  ///< of any collective, before the first hop
  double q = 1;    ///< of the transition from start cost to transfer
  std::map<Wire, LinkRate> direct;
  /// Of copies through host memory; absent: as direct. That of `socket` is the share of such a copy
  /// that is left when it crosses sockets; the link between them itself is used as directly.
  std::map<Wire, LinkRate> staged;
  std::string source;

  /// The rate of one lane of a copy. Throws std::invalid_argument when none is known.
  [[nodiscard]] const LinkRate& of(Wire wire, bool staged_copy) const;

  /// Links that carry all of their nominal rate without delay.
  static LinkRates nominal();
};

/// A collective over the first cards of a topology, from its links alone.
struct CollectiveCost {
  Seconds alpha;                        ///< start cost: time of the smallest payload
  Bandwidth busbw;                      ///< sent_share x payload / transfer time
  double error = 0;                     ///< of busbw, that of the limiting link; 0 = none stated
  Wire limit = Wire::pcie;              ///< what limits busbw
  bool staged = false;                  ///< the limiting copies pass through host memory
  std::vector<Topology::Vertex> order;  ///< ring order
};

/// `ranks` cards in the order of a ring: from the first card always the nearest one left, the first
/// built of equals. Throws std::invalid_argument: ranks below 1 or above the number of cards.
std::vector<Topology::Vertex> ring_order(const Topology& topology, int ranks);

/// Rings carry all_reduce, all_gather and reduce_scatter; all_to_all sends from each card to each
/// other; send_recv goes to the next card of the ring. Every direction of a link counts the copies
/// that cross it at once. Cards in several machines use one ring per NIC, cards that are all
/// linked to each other one per direction that closes. Throws as ring_order; ranks must be at
/// least 2.
CollectiveCost collective_cost(const Topology& topology, const LinkRates& rates,
                               Collective collective, int ranks);

}  // namespace gpucap::hardware

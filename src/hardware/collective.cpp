#include "gpucap/hardware/collective.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

namespace gpucap::hardware {
namespace {

using Order = std::vector<Topology::Vertex>;

/// One copy among those that run at once: its part of what a rank sends.
struct Copy {
  Topology::Vertex from = 0, to = 0;
  double share = 1;
};

std::vector<int> ranks_by_machine(const Topology& topology, const Order& order) {
  std::map<int, int> counts;
  for (const auto gpu : order) ++counts[topology.machine_of(gpu)];
  std::vector<int> ranks;
  for (const auto& [machine, count] : counts) ranks.push_back(count);
  return ranks;
}

bool all_linked(const Topology& topology, const Order& order) {
  for (const auto a : order) {
    for (const auto b : order) {
      if (a != b && !topology.adjacent(a, b)) return false;
    }
  }
  return order.size() > 2;
}

/// The ring that takes every `stride`th card.
Order strided(const Order& order, std::size_t stride) {
  Order ring;
  for (std::size_t i = 0; i < order.size(); ++i) ring.push_back(order[i * stride % order.size()]);
  return ring;
}

/// The same ring, entering and leaving each machine one card further on.
Order turned(const Topology& topology, const Order& order, std::size_t by) {
  Order ring = order;
  for (auto first = ring.begin(); first != ring.end();) {
    const int machine = topology.machine_of(*first);
    const auto last = std::find_if(first, ring.end(),
                                   [&](auto gpu) { return topology.machine_of(gpu) != machine; });
    std::rotate(first,
                first + static_cast<std::ptrdiff_t>(by % static_cast<std::size_t>(last - first)),
                last);
    first = last;
  }
  return ring;
}

/// Rings that share the payload evenly.
std::vector<Order> rings(const Topology& topology, const Order& order) {
  const auto by_machine = ranks_by_machine(topology, order);
  std::vector<Order> all;
  if (by_machine.size() > 1) {
    const auto machines = static_cast<std::int64_t>(by_machine.size());
    const auto nics = topology.count(Topology::Part::nic) / machines;
    const int fewest = *std::min_element(by_machine.begin(), by_machine.end());
    const std::int64_t count = std::min<std::int64_t>(nics, fewest);
    for (std::int64_t i = 0; i < count; ++i) {
      all.push_back(turned(topology, order, static_cast<std::size_t>(i * fewest / count)));
    }
    return all;
  }
  const bool mesh = all_linked(topology, order);
  for (std::size_t stride = 1; stride < (mesh ? order.size() : 2); ++stride) {
    if (std::gcd(stride, order.size()) == 1) all.push_back(strided(order, stride));
  }
  return all;
}

std::vector<Copy> ring_copies(const std::vector<Order>& rings) {
  std::vector<Copy> copies;
  for (const Order& ring : rings) {
    for (std::size_t i = 0; i < ring.size(); ++i) {
      copies.push_back(
          {ring[i], ring[(i + 1) % ring.size()], 1 / static_cast<double>(rings.size())});
    }
  }
  return copies;
}

std::vector<Copy> copies_of(const Topology& topology, Collective collective, const Order& order) {
  std::vector<Copy> copies;
  if (collective == Collective::all_to_all) {
    for (const auto a : order) {
      for (const auto b : order) {
        if (a != b) copies.push_back({a, b, 1 / static_cast<double>(order.size() - 1)});
      }
    }
    return copies;
  }
  if (collective == Collective::send_recv) {
    for (std::size_t i = 0; i + 1 < order.size(); ++i) copies.push_back({order[i], order[i + 1]});
    return copies;
  }
  return ring_copies(rings(topology, order));
}

/// The share that is left of a staged copy that crosses sockets; nullptr: all of it.
const LinkRate* left_across_sockets(const LinkRates& rates, const Route& route) {
  const auto found = rates.staged.find(Wire::socket);
  const bool crosses = std::any_of(route.lanes.begin(), route.lanes.end(),
                                   [](const Lane& lane) { return lane.wire == Wire::socket; });
  return route.staged && crosses && found != rates.staged.end() ? &found->second : nullptr;
}

/// What the copies that cross one direction of a link cost it, per byte that a rank sends.
struct Load {
  Seconds per_byte;
  const LinkRate* rate = nullptr;
  Wire wire = Wire::pcie;
  bool staged = false;
};

Load heaviest_load(const Topology& topology, const LinkRates& rates,
                   const std::vector<Copy>& copies) {
  std::map<std::size_t, Load> loads;
  for (const Copy& copy : copies) {
    const Route route = topology.route(copy.from, copy.to);
    const LinkRate* left = left_across_sockets(rates, route);
    for (const Lane& lane : route.lanes) {
      const bool slowed = left != nullptr && lane.wire == Wire::pcie;
      const LinkRate& rate = rates.of(lane.wire, route.staged);
      const double efficiency = rate.efficiency * (slowed ? left->efficiency : 1);
      Load& load = loads[lane.edge];
      load.per_byte += copy.share * unit::byte / (efficiency * lane.nominal);
      load.rate = slowed ? left : &rate;
      load.wire = lane.wire;
      load.staged = route.staged;
    }
  }
  return std::max_element(
             loads.begin(), loads.end(),
             [](const auto& a, const auto& b) { return a.second.per_byte < b.second.per_byte; })
      ->second;
}

/// A step takes as long as the farthest kind of link on the way.
Seconds hop(const Topology& topology, const LinkRates& rates, Topology::Vertex from,
            Topology::Vertex to) {
  const Route route = topology.route(from, to);
  Seconds longest;
  for (const Lane& lane : route.lanes) {
    longest = std::max(longest, rates.of(lane.wire, route.staged).hop);
  }
  return longest;
}

Seconds start_cost(const Topology& topology, const LinkRates& rates, Collective collective,
                   const Order& order) {
  Seconds once_round, farthest;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Seconds one = hop(topology, rates, order[i], order[(i + 1) % order.size()]);
    once_round += one;
    farthest = std::max(farthest, one);
  }
  // Copies to all others and to the next card go out at once; a ring passes its steps one by one.
  const bool one_step = collective == Collective::all_to_all || collective == Collective::send_recv;
  const double rounds = sent_share(collective, static_cast<int>(order.size()));
  return rates.launch + (one_step ? farthest : rounds * once_round);
}

}  // namespace

std::string_view name(Collective collective) {
  constexpr std::array<std::string_view, 5> words = {"all_reduce", "all_gather", "reduce_scatter",
                                                     "all_to_all", "send_recv"};
  return words[static_cast<std::size_t>(collective)];
}

double sent_share(Collective collective, int ranks) {
  if (collective == Collective::send_recv) return 1;
  const double others = (ranks - 1) / static_cast<double>(ranks);
  return collective == Collective::all_reduce ? 2 * others : others;
}

const LinkRate& LinkRates::of(Wire wire, bool staged_copy) const {
  if (staged_copy && wire != Wire::socket) {
    if (const auto found = staged.find(wire); found != staged.end()) return found->second;
  }
  const auto found = direct.find(wire);
  if (found == direct.end()) {
    throw std::invalid_argument("no rate for links of kind " + std::string(name(wire)));
  }
  return found->second;
}

LinkRates LinkRates::nominal() {
  LinkRates rates;
  for (const Wire wire : {Wire::nvlink, Wire::infinity_fabric, Wire::pcie, Wire::socket,
                          Wire::memory, Wire::network}) {
    rates.direct[wire].source = "nominal";
  }
  rates.source = "nominal rates of the links";
  return rates;
}

std::vector<Topology::Vertex> ring_order(const Topology& topology, int ranks) {
  Order left = topology.gpus();
  if (ranks < 1 || static_cast<std::size_t>(ranks) > left.size()) {
    throw std::invalid_argument("a ring over more cards than the host holds");
  }
  Order order{left.front()};
  left.erase(left.begin());
  while (static_cast<int>(order.size()) < ranks) {
    const auto distance = [&](Topology::Vertex to) {
      return topology.route(order.back(), to).distance;
    };
    const auto next = std::min_element(left.begin(), left.end(),
                                       [&](auto a, auto b) { return distance(a) < distance(b); });
    order.push_back(*next);
    left.erase(next);
  }
  return order;
}

CollectiveCost collective_cost(const Topology& topology, const LinkRates& rates,
                               Collective collective, int ranks) {
  CollectiveCost cost;
  cost.order = ring_order(topology, ranks);
  const Load heaviest = heaviest_load(topology, rates, copies_of(topology, collective, cost.order));
  cost.alpha = start_cost(topology, rates, collective, cost.order);
  cost.busbw = unit::byte / heaviest.per_byte;
  cost.error = heaviest.rate->error;
  cost.limit = heaviest.wire;
  cost.staged = heaviest.staged;
  return cost;
}

}  // namespace gpucap::hardware

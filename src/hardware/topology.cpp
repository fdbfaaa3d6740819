#include "gpucap/hardware/topology.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/filtered_graph.hpp>

namespace gpucap::hardware {
namespace {

using Part = Topology::Part;

struct Piece {
  Part part = Part::gpu;
  int machine = 0;
};

struct Strand {
  std::size_t id = 0;
  Wire wire = Wire::pcie;
  Bandwidth nominal;
  std::int64_t length = 0;
};

// vecS keeps vertices and edges in order of insertion: equal ways are decided by it.
using Strands = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, Piece, Strand>;
using Vertex = Strands::vertex_descriptor;
using Edge = Strands::edge_descriptor;

/// A longer way over a nearer kind of link wins over a shorter one over a farther kind.
std::int64_t length_of(Wire wire) {
  switch (wire) {
    case Wire::nvlink:
    case Wire::infinity_fabric:
      return 1;
    case Wire::pcie:
    case Wire::memory:
      return 100;
    case Wire::socket:
      return 10'000;
    case Wire::network:
      break;
  }
  return 1'000'000;
}

/// What a copy may pass: its two ends, and everything but cards and, unless it is staged, memory.
struct Passable {
  const Strands* graph = nullptr;
  Vertex from = 0, to = 0;
  bool operator()(Vertex vertex) const {
    const Part part = (*graph)[vertex].part;
    return vertex == from || vertex == to || (part != Part::gpu && part != Part::memory);
  }
};

}  // namespace

std::string_view name(Wire wire) {
  constexpr std::array<std::string_view, 6> words = {"nvlink", "infinity_fabric", "pcie",
                                                     "socket", "memory",          "network"};
  return words[static_cast<std::size_t>(wire)];
}

struct Topology::Graph {
  Strands strands;
  std::size_t edges = 0;

  Graph() = default;
  // By hand: the library's own copy walks all edges in a way that g++ 12 warns of.
  Graph(const Graph& other) : edges(other.edges) {
    const auto& from = other.strands;
    for (Vertex at = 0; at < boost::num_vertices(from); ++at) boost::add_vertex(from[at], strands);
    for (Vertex at = 0; at < boost::num_vertices(from); ++at) {
      for (auto [edge, end] = boost::out_edges(at, from); edge != end; ++edge) {
        boost::add_edge(at, boost::target(*edge, from), from[*edge], strands);
      }
    }
  }

  void connect_one_way(Vertex from, Vertex to, Wire wire, Bandwidth nominal) {
    boost::add_edge(from, to, Strand{edges++, wire, nominal, length_of(wire)}, strands);
  }

  /// Shortest way that passes neither memory nor other cards; no lanes when there is none.
  [[nodiscard]] Route direct(Vertex from, Vertex to) const {
    const boost::filtered_graph<Strands, boost::keep_all, Passable> open(
        strands, boost::keep_all{}, Passable{&strands, from, to});
    std::vector<Vertex> before(boost::num_vertices(strands));
    std::vector<std::int64_t> distance(before.size());
    boost::dijkstra_shortest_paths(open, from,
                                   boost::weight_map(boost::get(&Strand::length, open))
                                       .predecessor_map(before.data())
                                       .distance_map(distance.data()));
    Route route;
    if (from != to && before[to] == to) return route;
    route.distance = distance[to];
    for (Vertex at = to; at != from; at = before[at]) {
      const Strand& strand = strands[boost::edge(before[at], at, strands).first];
      route.lanes.push_back({strand.id, strand.wire, strand.nominal});
    }
    std::reverse(route.lanes.begin(), route.lanes.end());
    return route;
  }

  /// The nearest memory of the machine that holds `gpu`.
  [[nodiscard]] Vertex memory_near(Vertex gpu) const {
    Vertex nearest = gpu;
    std::int64_t shortest = 0;
    for (Vertex vertex = 0; vertex < boost::num_vertices(strands); ++vertex) {
      if (strands[vertex].part != Part::memory || strands[vertex].machine != strands[gpu].machine) {
        continue;
      }
      const Route way = direct(gpu, vertex);
      if (way.lanes.empty() || (nearest != gpu && way.distance >= shortest)) continue;
      nearest = vertex;
      shortest = way.distance;
    }
    return nearest;
  }
};

Topology::Topology() : graph_(std::make_unique<Graph>()) {}
Topology::~Topology() = default;
Topology::Topology(Topology&&) noexcept = default;
Topology& Topology::operator=(Topology&&) noexcept = default;
Topology::Topology(const Topology& other)
    : graph_(std::make_unique<Graph>(*other.graph_)), gpus_(other.gpus_), reach_(other.reach_) {}
Topology& Topology::operator=(const Topology& other) {
  return *this = Topology(other);
}

Topology::Vertex Topology::add(Part part, int machine) {
  const Vertex vertex = boost::add_vertex(Piece{part, machine}, graph_->strands);
  if (part == Part::gpu) gpus_.push_back(vertex);
  return vertex;
}

void Topology::connect(Vertex a, Vertex b, Wire wire, Bandwidth per_direction) {
  graph_->connect_one_way(a, b, wire, per_direction);
  graph_->connect_one_way(b, a, wire, per_direction);
}

int Topology::machine_of(Vertex vertex) const {
  return graph_->strands[vertex].machine;
}

std::int64_t Topology::count(Part part) const {
  const auto [first, last] = boost::vertices(graph_->strands);
  return std::count_if(first, last,
                       [&](Vertex vertex) { return graph_->strands[vertex].part == part; });
}

bool Topology::adjacent(Vertex a, Vertex b) const {
  return boost::edge(a, b, graph_->strands).second;
}

bool Topology::reaches(const Route& route) const {
  const auto passes = [&](Wire wire) {
    return std::any_of(route.lanes.begin(), route.lanes.end(),
                       [&](const Lane& lane) { return lane.wire == wire; });
  };
  const auto pcie_lanes = std::count_if(route.lanes.begin(), route.lanes.end(),
                                        [](const Lane& lane) { return lane.wire == Wire::pcie; });
  switch (reach_) {
    case PeerReach::none:
      return pcie_lanes == 0;
    case PeerReach::below_switch:
      // Card to switch to card: whatever is longer has left the switch.
      return pcie_lanes <= 2 && !passes(Wire::socket);
    case PeerReach::below_socket:
      return !passes(Wire::socket);
    case PeerReach::everywhere:
      break;
  }
  return true;
}

Route Topology::route(Vertex from, Vertex to) const {
  Route direct = graph_->direct(from, to);
  if (direct.lanes.empty()) throw std::logic_error("two cards of a host are not connected");
  return reaches(direct) ? direct : staged_route(from, to);
}

Route Topology::staged_route(Vertex from, Vertex to) const {
  const Vertex stage = graph_->memory_near(from);
  const Vertex landing = machine_of(from) == machine_of(to) ? stage : graph_->memory_near(to);
  if (stage == from || landing == to) throw std::logic_error("a staged copy needs host memory");
  Route whole;
  whole.staged = true;
  const std::array<std::pair<Vertex, Vertex>, 3> legs = {
      std::pair{from, stage}, std::pair{stage, landing}, std::pair{landing, to}};
  for (const auto& [start, end] : legs) {
    if (start == end) continue;
    const Route leg = graph_->direct(start, end);
    whole.lanes.insert(whole.lanes.end(), leg.lanes.begin(), leg.lanes.end());
    whole.distance += leg.distance;
  }
  return whole;
}

}  // namespace gpucap::hardware

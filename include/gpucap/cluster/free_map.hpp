#pragma once

#include "gpucap/cluster/gpu_time.hpp"
#include "gpucap/cluster/node_set.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace gpucap::cluster {

/// Which node a gang gets: the one with the fewest free GPUs that suffice, or the one with the
/// most. The node of the lowest number among equals.
enum class Packing : std::uint8_t { pack, spread };

/// GPUs of one node, a bit for each.
struct Part {
  std::uint32_t node = 0;
  std::uint64_t gpus = 0;
  bool operator==(const Part&) const = default;
};

/// The GPUs of a gang: whole ones, or a share of a single one.
struct Placement {
  std::vector<Part> parts;
  std::int64_t share = whole_gpu;  ///< thousandths taken of each GPU
  bool operator==(const Placement&) const = default;
};

/// What is free on the nodes of one group, GPU by GPU, kept up to date as gangs come and go.
///
/// A gang stands on as few nodes as its size allows: within one node up to the GPUs of a node,
/// beyond that on whole nodes and one more for the rest. A share goes to a GPU that is shared
/// already when packing, and to a free one when spreading, as long as there is one.
class FreeMap {
 public:
  /// All free; 1 to 64 GPUs a node.
  FreeMap(std::int64_t nodes, std::int64_t gpus_per_node);

  /// Whether a gang of so many thousandths could be placed now.
  [[nodiscard]] bool fits(std::int64_t thousandths) const;
  /// Where; it must fit. Nothing is taken yet.
  [[nodiscard]] Placement place(std::int64_t thousandths, Packing packing) const;
  /// Whether so large a gang could stand on the empty group.
  [[nodiscard]] bool could_hold(std::int64_t thousandths) const;

  void take(const Placement& placement);
  void give(const Placement& placement);

  /// A closed node offers nothing; what runs on it may still give back.
  void close(std::uint32_t node);
  void open(std::uint32_t node);

  /// Reserved GPUs are handed out like others, and first, while `offer_reserved(true)` holds, and
  /// not at all otherwise. Offered at first; one placement at a time.
  void reserve(const Placement& placement);
  void drop_reservation();
  void offer_reserved(bool offered);

  /// GPUs of a node that nobody has a share of, the node being open or not.
  [[nodiscard]] std::uint64_t unused(std::uint32_t node) const { return nodes_[node].unused; }
  [[nodiscard]] std::int64_t free_thousandths(std::uint32_t node) const;

 private:
  struct Node {
    std::uint64_t unused = 0;
    std::uint64_t reserved = 0;
    int filed = 0;  ///< whole GPUs on offer, as `levels_` knows it
    bool open = true;
  };
  /// A GPU in use with a share left, on offer.
  struct Rest {
    std::int64_t left = 0;
    std::uint32_t node = 0, gpu = 0;
    auto operator<=>(const Rest&) const = default;
  };

  [[nodiscard]] std::uint64_t offered(const Node& node) const;
  /// Shares of one GPU left; changes the sets that depend on it.
  void set_left(std::uint32_t node, std::uint32_t gpu, std::int64_t left);
  /// Makes the sets agree with a node after `change` was made to what it offers.
  template <class Change>
  void changed(std::uint32_t node, Change change);
  void file(std::uint32_t node);
  void list_rests(std::uint32_t node, bool listed);
  [[nodiscard]] std::int64_t& left_of(std::uint32_t node, std::uint32_t gpu) {
    return left_[node * static_cast<std::size_t>(per_node_) + gpu];
  }

  [[nodiscard]] Part pick(std::uint32_t node, int gpus) const;
  /// Level of the node for `gpus` whole GPUs, at most `most`; 0: none.
  [[nodiscard]] int level_for(int gpus, int most, Packing packing) const;
  [[nodiscard]] Placement place_share(std::int64_t thousandths, Packing packing) const;
  [[nodiscard]] Placement place_over_nodes(int whole_nodes, int rest, Packing packing) const;

  int per_node_;
  std::vector<Node> nodes_;
  std::vector<std::int64_t> left_;  ///< thousandths, by node and GPU
  std::vector<NodeSet> levels_;     ///< open nodes by whole GPUs on offer
  std::uint64_t filled_ = 0;        ///< bit f - 1: level f has a node
  std::set<Rest> rests_;
  std::vector<std::uint32_t> reserved_nodes_;
  bool offer_reserved_ = true;
};

}  // namespace gpucap::cluster

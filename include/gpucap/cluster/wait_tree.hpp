#pragma once

#include "gpucap/cluster/policy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace gpucap::cluster {

/// Waiting jobs of one demand in order of rank, with the least estimate of every subtree beside
/// them: the first job that is short enough is found in logarithmic time however long the queue.
///
/// A treap (Seidel and Aragon 1996) whose heap order is a hash of the arrival number, so its shape
/// follows from what is in it.
class WaitTree {
 public:
  struct Waiting {
    Rank rank;
    std::int64_t estimate = 0;
    std::uint32_t job = 0;
  };

  [[nodiscard]] bool empty() const { return root_ == none; }
  [[nodiscard]] std::size_t size() const { return size_; }

  void insert(const Waiting& waiting) {
    const std::uint32_t fresh = allocate(waiting);
    const auto [before, after] = split(root_, waiting.rank);
    root_ = merge(merge(before, fresh), after);
    ++size_;
  }

  /// It must be there.
  void erase(const Rank& rank) {
    root_ = without(root_, rank);
    --size_;
  }

  /// The first one; there must be one.
  [[nodiscard]] const Waiting& first() const {
    std::uint32_t at = root_;
    while (nodes_[at].left != none) at = nodes_[at].left;
    return nodes_[at].waiting;
  }

  /// The first one after `rank` whose estimate passes; whatever is less than a passing one passes.
  template <class Passes>
  [[nodiscard]] std::optional<Waiting> next(const Rank& rank, const Passes& passes) const {
    const std::uint32_t found = find(root_, rank, passes);
    if (found == none) return std::nullopt;
    return nodes_[found].waiting;
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  struct Node {
    Waiting waiting;
    std::int64_t least = 0;  ///< estimate in the subtree
    std::uint64_t height = 0;
    std::uint32_t left = none, right = none;
  };

  static std::uint64_t mixed(std::uint64_t arrival) {
    arrival = (arrival ^ (arrival >> 31)) * 0x9e3779b97f4a7c15u;
    return arrival ^ (arrival >> 29);
  }

  std::uint32_t allocate(const Waiting& waiting) {
    const Node node{waiting, waiting.estimate, mixed(waiting.rank.arrival + 1)};
    if (free_.empty()) {
      nodes_.push_back(node);
      return static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    nodes_[place] = node;
    return place;
  }

  std::uint32_t updated(std::uint32_t at) {
    Node& node = nodes_[at];
    node.least = node.waiting.estimate;
    if (node.left != none) node.least = std::min(node.least, nodes_[node.left].least);
    if (node.right != none) node.least = std::min(node.least, nodes_[node.right].least);
    return at;
  }

  /// Those before `rank`, and the others.
  std::pair<std::uint32_t, std::uint32_t> split(std::uint32_t at, const Rank& rank) {
    if (at == none) return {none, none};
    if (nodes_[at].waiting.rank < rank) {
      const auto [before, after] = split(nodes_[at].right, rank);
      nodes_[at].right = before;
      return {updated(at), after};
    }
    const auto [before, after] = split(nodes_[at].left, rank);
    nodes_[at].left = after;
    return {before, updated(at)};
  }

  std::uint32_t merge(std::uint32_t before, std::uint32_t after) {
    if (before == none) return after;
    if (after == none) return before;
    if (nodes_[before].height > nodes_[after].height) {
      const std::uint32_t right = merge(nodes_[before].right, after);
      nodes_[before].right = right;
      return updated(before);
    }
    const std::uint32_t left = merge(before, nodes_[after].left);
    nodes_[after].left = left;
    return updated(after);
  }

  std::uint32_t without(std::uint32_t at, const Rank& rank) {
    Node& node = nodes_[at];
    if (node.waiting.rank == rank) {
      free_.push_back(at);
      return merge(node.left, node.right);
    }
    std::uint32_t& side = rank < node.waiting.rank ? node.left : node.right;
    side = without(side, rank);
    return updated(at);
  }

  template <class Passes>
  [[nodiscard]] std::uint32_t find(std::uint32_t at, const Rank& rank, const Passes& passes) const {
    if (at == none || !passes(nodes_[at].least)) return none;
    const Node& node = nodes_[at];
    if (rank < node.waiting.rank) {
      const std::uint32_t left = find(node.left, rank, passes);
      if (left != none) return left;
      if (passes(node.waiting.estimate)) return at;
    }
    return find(node.right, rank, passes);
  }

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> free_;
  std::uint32_t root_ = none;
  std::size_t size_ = 0;
};

}  // namespace gpucap::cluster

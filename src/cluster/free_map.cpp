#include "gpucap/cluster/free_map.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace gpucap::cluster {
namespace {

std::uint64_t low_bits(int count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// The `count` lowest bits that are set, all where there are fewer.
std::uint64_t lowest(std::uint64_t bits, int count) {
  std::uint64_t taken = 0;
  for (; count > 0 && bits != 0; --count) {
    taken |= bits & -bits;
    bits &= bits - 1;
  }
  return taken;
}

template <class Visit>
void each_bit(std::uint64_t bits, Visit visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<std::uint32_t>(std::countr_zero(bits)));
}

}  // namespace

FreeMap::FreeMap(std::int64_t nodes, std::int64_t gpus_per_node)
    : per_node_(static_cast<int>(gpus_per_node)) {
  if (nodes < 1 || gpus_per_node < 1 || gpus_per_node > 64) {
    throw std::invalid_argument("a node group has at least one node of 1 to 64 GPUs");
  }
  const auto count = static_cast<std::size_t>(nodes);
  nodes_.resize(count, {low_bits(per_node_)});
  left_.resize(count * static_cast<std::size_t>(per_node_), whole_gpu);
  levels_.assign(static_cast<std::size_t>(per_node_) + 1, NodeSet(count));
  for (std::uint32_t node = 0; node < count; ++node) file(node);
}

std::uint64_t FreeMap::offered(const Node& node) const {
  if (!node.open) return 0;
  return offer_reserved_ ? node.unused : node.unused & ~node.reserved;
}

std::int64_t FreeMap::free_thousandths(std::uint32_t node) const {
  const auto first = left_.begin() + static_cast<std::ptrdiff_t>(node) * per_node_;
  std::int64_t sum = 0;
  for (auto left = first; left != first + per_node_; ++left) sum += *left;
  return sum;
}

void FreeMap::file(std::uint32_t node) {
  const int free = std::popcount(offered(nodes_[node]));
  const int filed = nodes_[node].filed;
  if (free == filed) return;
  if (filed > 0) {
    NodeSet& level = levels_[static_cast<std::size_t>(filed)];
    level.erase(node);
    if (level.size() == 0) filled_ &= ~(std::uint64_t{1} << (filed - 1));
  }
  if (free > 0) {
    levels_[static_cast<std::size_t>(free)].insert(node);
    filled_ |= std::uint64_t{1} << (free - 1);
  }
  nodes_[node].filed = free;
}

void FreeMap::list_rests(std::uint32_t node, bool listed) {
  const Node& at = nodes_[node];
  if (!at.open) return;
  const std::uint64_t hidden = offer_reserved_ ? 0 : at.reserved;
  each_bit(low_bits(per_node_) & ~at.unused & ~hidden, [&](std::uint32_t gpu) {
    const Rest rest{left_of(node, gpu), node, gpu};
    if (rest.left == 0) return;
    if (listed) {
      rests_.insert(rest);
    } else {
      rests_.erase(rest);
    }
  });
}

template <class Change>
void FreeMap::changed(std::uint32_t node, Change change) {
  list_rests(node, false);
  change(nodes_[node]);
  list_rests(node, true);
  file(node);
}

void FreeMap::set_left(std::uint32_t node, std::uint32_t gpu, std::int64_t left) {
  changed(node, [&](Node& at) {
    const std::uint64_t bit = std::uint64_t{1} << gpu;
    left_of(node, gpu) = left;
    at.unused = left == whole_gpu ? at.unused | bit : at.unused & ~bit;
  });
}

void FreeMap::take(const Placement& placement) {
  for (const Part& part : placement.parts) {
    if (placement.share < whole_gpu) {
      const auto gpu = static_cast<std::uint32_t>(std::countr_zero(part.gpus));
      set_left(part.node, gpu, left_of(part.node, gpu) - placement.share);
      continue;
    }
    // No share is left of whole GPUs, so there is none to list.
    each_bit(part.gpus, [&](std::uint32_t gpu) { left_of(part.node, gpu) = 0; });
    nodes_[part.node].unused &= ~part.gpus;
    file(part.node);
  }
}

void FreeMap::give(const Placement& placement) {
  for (const Part& part : placement.parts) {
    if (placement.share < whole_gpu) {
      const auto gpu = static_cast<std::uint32_t>(std::countr_zero(part.gpus));
      set_left(part.node, gpu, left_of(part.node, gpu) + placement.share);
      continue;
    }
    each_bit(part.gpus, [&](std::uint32_t gpu) { left_of(part.node, gpu) = whole_gpu; });
    nodes_[part.node].unused |= part.gpus;
    file(part.node);
  }
}

void FreeMap::close(std::uint32_t node) {
  changed(node, [](Node& at) { at.open = false; });
}

void FreeMap::open(std::uint32_t node) {
  changed(node, [](Node& at) { at.open = true; });
}

void FreeMap::reserve(const Placement& placement) {
  for (const Part& part : placement.parts) {
    changed(part.node, [&](Node& at) { at.reserved |= part.gpus; });
    reserved_nodes_.push_back(part.node);
  }
}

void FreeMap::drop_reservation() {
  for (const std::uint32_t node : reserved_nodes_) {
    changed(node, [](Node& at) { at.reserved = 0; });
  }
  reserved_nodes_.clear();
}

void FreeMap::offer_reserved(bool offer) {
  if (offer == offer_reserved_) return;
  for (const std::uint32_t node : reserved_nodes_) list_rests(node, false);
  offer_reserved_ = offer;
  for (const std::uint32_t node : reserved_nodes_) {
    list_rests(node, true);
    file(node);
  }
}

bool FreeMap::could_hold(std::int64_t thousandths) const {
  return thousandths <= whole_gpu * per_node_ * static_cast<std::int64_t>(nodes_.size());
}

bool FreeMap::fits(std::int64_t thousandths) const {
  if (thousandths < whole_gpu) {
    return filled_ != 0 || (!rests_.empty() && rests_.rbegin()->left >= thousandths);
  }
  const std::int64_t gpus = thousandths / whole_gpu;
  if (gpus <= per_node_) return (filled_ >> (gpus - 1)) != 0;
  const auto full = static_cast<std::int64_t>(levels_.back().size());
  const std::int64_t whole = gpus / per_node_, rest = gpus % per_node_;
  if (full < whole) return false;
  return rest == 0 || full > whole || level_for(static_cast<int>(rest), per_node_ - 1, {}) > 0;
}

int FreeMap::level_for(int gpus, int most, Packing packing) const {
  const std::uint64_t levels = filled_ & low_bits(most) & ~low_bits(gpus - 1);
  if (levels == 0) return 0;
  return 1 + (packing == Packing::pack ? std::countr_zero(levels) : 63 - std::countl_zero(levels));
}

Part FreeMap::pick(std::uint32_t node, int gpus) const {
  const std::uint64_t free = offered(nodes_[node]);
  const std::uint64_t first = lowest(free & nodes_[node].reserved, gpus);
  return {node, first | lowest(free & ~first, gpus - std::popcount(first))};
}

Placement FreeMap::place(std::int64_t thousandths, Packing packing) const {
  if (thousandths < whole_gpu) return place_share(thousandths, packing);
  const auto gpus = static_cast<int>(thousandths / whole_gpu);
  if (gpus > per_node_) return place_over_nodes(gpus / per_node_, gpus % per_node_, packing);
  const int level = level_for(gpus, per_node_, packing);
  return {{pick(levels_[static_cast<std::size_t>(level)].first(), gpus)}};
}

Placement FreeMap::place_share(std::int64_t thousandths, Packing packing) const {
  const std::int64_t most = rests_.empty() ? 0 : rests_.rbegin()->left;
  const bool unused_gpu = filled_ != 0 && (packing == Packing::spread || most < thousandths);
  if (unused_gpu) {
    const int level = level_for(1, per_node_, packing);
    return {{pick(levels_[static_cast<std::size_t>(level)].first(), 1)}, thousandths};
  }
  const std::int64_t least = packing == Packing::pack ? thousandths : most;
  const auto rest = rests_.lower_bound({least, 0, 0});
  return {{{rest->node, std::uint64_t{1} << rest->gpu}}, thousandths};
}

Placement FreeMap::place_over_nodes(int whole_nodes, int rest, Packing packing) const {
  const NodeSet& full = levels_.back();
  Placement placement;
  std::uint32_t node = 0;
  for (int i = 0; i < whole_nodes; ++i) {
    node = full.first(i == 0 ? 0 : node + 1);
    placement.parts.push_back(pick(node, per_node_));
  }
  if (rest == 0) return placement;
  const bool another = full.size() > static_cast<std::size_t>(whole_nodes);
  const int partly = level_for(rest, per_node_ - 1, packing);
  const bool take_full = another && (packing == Packing::spread || partly == 0);
  const NodeSet& from = take_full ? full : levels_[static_cast<std::size_t>(partly)];
  placement.parts.push_back(pick(from.first(take_full ? node + 1 : 0), rest));
  return placement;
}

}  // namespace gpucap::cluster

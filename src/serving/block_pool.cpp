#include "gpucap/serving/block_pool.hpp"

#include <ranges>

namespace gpucap::serving {

BlockPool::BlockPool(std::int64_t blocks) : nodes_(static_cast<std::size_t>(blocks)) {
  for (Block block = 0; block < nodes_.size(); ++block) append_free(block);
}

std::vector<BlockPool::Block> BlockPool::find(std::span<const Hash> hashes) const {
  std::vector<Block> run;
  for (const Hash hash : hashes) {
    const auto found = by_hash_.find(hash);
    if (found == by_hash_.end()) break;
    run.push_back(found->second);
  }
  return run;
}

std::int64_t BlockPool::unowned(std::span<const Block> blocks) const {
  std::int64_t count = 0;
  for (const Block block : blocks) count += nodes_[block].owners == 0 ? 1 : 0;
  return count;
}

void BlockPool::share(std::span<const Block> blocks) {
  for (const Block block : blocks) {
    if (nodes_[block].owners++ == 0) unlink(block);
  }
}

void BlockPool::take(std::int64_t count, std::vector<Block>& owned) {
  for (std::int64_t i = 0; i < count; ++i) {
    const Block block = head_;
    unlink(block);
    forget(block);
    nodes_[block].owners = 1;
    owned.push_back(block);
  }
}

void BlockPool::publish(Block block, Hash hash) {
  nodes_[block].hash = hash;
  nodes_[block].same = none;
  const auto [first, is_new] = by_hash_.try_emplace(hash, block);
  if (is_new) return;
  Block last = first->second;
  while (nodes_[last].same != none) last = nodes_[last].same;
  nodes_[last].same = block;
}

void BlockPool::release(std::span<const Block> blocks) {
  for (const Block block : std::views::reverse(blocks)) {
    if (--nodes_[block].owners == 0) append_free(block);
  }
}

void BlockPool::append_free(Block block) {
  Node& node = nodes_[block];
  node.before = tail_;
  node.after = none;
  (tail_ == none ? head_ : nodes_[tail_].after) = block;
  tail_ = block;
  ++free_count_;
}

void BlockPool::unlink(Block block) {
  const Node& node = nodes_[block];
  (node.before == none ? head_ : nodes_[node.before].after) = node.after;
  (node.after == none ? tail_ : nodes_[node.after].before) = node.before;
  --free_count_;
}

void BlockPool::forget(Block block) {
  Node& node = nodes_[block];
  if (node.hash == 0) return;
  const auto first = by_hash_.find(node.hash);
  if (first->second == block) {
    if (node.same == none) {
      by_hash_.erase(first);
    } else {
      first->second = node.same;
    }
  } else {
    Block previous = first->second;
    while (nodes_[previous].same != block) previous = nodes_[previous].same;
    nodes_[previous].same = node.same;
  }
  node.hash = 0;
  node.same = none;
}

}  // namespace gpucap::serving

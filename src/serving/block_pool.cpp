#include "gpucap/serving/block_pool.hpp"

#include <algorithm>
#include <ranges>

namespace gpucap::serving {

BlockPool::BlockPool(std::int64_t blocks) : blocks_(blocks) {
  release(blocks);
}

void BlockPool::take_extents(std::int64_t count) {
  while (count > 0) {
    Extent& first = extents_[head_];
    const std::int64_t taken = std::min(count, first.count);
    count -= taken;
    first.count -= taken;
    if (first.count > 0) return;
    if (first.content != none) forget(first.content);
    remove(head_);
  }
}

void BlockPool::release(std::int64_t count) {
  if (count == 0) return;
  free_ += count;
  if (tail_ != none && extents_[tail_].content == none && !extents_[tail_].parked) {
    extents_[tail_].count += count;
  } else {
    append(count);
  }
}

void BlockPool::find(std::span<const Hash> hashes, std::vector<Content>& run) const {
  for (const Hash hash : hashes) {
    const Content* const found = by_hash_.find(hash);
    if (found == nullptr) return;
    run.push_back(*found);
  }
}

std::int64_t BlockPool::unowned(std::span<const Content> run) const {
  return std::ranges::count_if(run, [&](Content content) { return known_[content].owners == 0; });
}

void BlockPool::share(std::span<const Content> run) {
  for (const Content content : run) {
    Known& block = known_[content];
    if (block.owners++ > 0) continue;
    remove(block.extent);
    block.extent = none;
    --free_;
  }
}

BlockPool::Content BlockPool::publish(Hash hash) {
  Content content = static_cast<Content>(known_.size());
  if (spare_known_.empty()) {
    known_.emplace_back();
  } else {
    content = spare_known_.back();
    spare_known_.pop_back();
  }
  known_[content] = {hash, 1};
  const Content* const first = by_hash_.find(hash);
  if (first == nullptr) {
    by_hash_.insert(hash, content);
    return content;
  }
  Content last = *first;
  while (known_[last].same != none) last = known_[last].same;
  known_[last].same = content;
  return content;
}

void BlockPool::release(std::span<const Content> run) {
  for (const Content content : std::views::reverse(run)) {
    Known& block = known_[content];
    if (--block.owners > 0) continue;
    block.extent = append(1);
    extents_[block.extent].content = content;
    ++free_;
  }
}

BlockPool::Parked BlockPool::park(std::int64_t count) {
  if (count == 0) return {};
  free_ += count;
  const std::uint32_t extent = append(count);
  extents_[extent].parked = true;
  return {extent, extents_[extent].generation};
}

bool BlockPool::current(Parked parked) const {
  return parked.extent != none && extents_[parked.extent].generation == parked.generation;
}

std::int64_t BlockPool::parked(Parked parked) const {
  return current(parked) ? extents_[parked.extent].count : 0;
}

void BlockPool::unpark(Parked parked) {
  if (!current(parked)) return;
  free_ -= extents_[parked.extent].count;
  remove(parked.extent);
}

void BlockPool::abandon(Parked parked) {
  if (current(parked)) extents_[parked.extent].parked = false;
}

std::uint32_t BlockPool::append(std::int64_t count) {
  std::uint32_t added = static_cast<std::uint32_t>(extents_.size());
  if (spare_extents_.empty()) {
    extents_.emplace_back();
  } else {
    added = spare_extents_.back();
    spare_extents_.pop_back();
  }
  Extent& extent = extents_[added];
  extent.count = count;
  extent.before = tail_;
  (tail_ == none ? head_ : extents_[tail_].after) = added;
  tail_ = added;
  return added;
}

void BlockPool::remove(std::uint32_t extent) {
  Extent& gone = extents_[extent];
  (gone.before == none ? head_ : extents_[gone.before].after) = gone.after;
  (gone.after == none ? tail_ : extents_[gone.after].before) = gone.before;
  const std::uint32_t generation = gone.generation + 1;
  gone = {};
  gone.generation = generation;
  spare_extents_.push_back(extent);
}

void BlockPool::forget(Content content) {
  Known& block = known_[content];
  Content& first = *by_hash_.find(block.hash);
  if (first == content) {
    if (block.same == none) {
      by_hash_.erase(block.hash);
    } else {
      first = block.same;
    }
  } else {
    Content previous = first;
    while (known_[previous].same != content) previous = known_[previous].same;
    known_[previous].same = block.same;
  }
  spare_known_.push_back(content);
}

}  // namespace gpucap::serving

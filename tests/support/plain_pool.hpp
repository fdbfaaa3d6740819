#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace gpucap::test {

/// A paged KV cache kept block by block and searched from end to end: as slow and as plain as
/// possible. Every block of a sequence has a name here, also those that nobody else can know.
class PlainPool {
 public:
  using Block = std::size_t;
  using Name = std::uint64_t;

  explicit PlainPool(std::int64_t blocks) : blocks_(static_cast<std::size_t>(blocks)) {
    for (Block block = 0; block < blocks_.size(); ++block) free_.push_back(block);
  }

  [[nodiscard]] std::int64_t free_blocks() const { return std::ssize(free_); }

  /// The block that was given back first; it forgets what it held.
  Block take() {
    const Block block = free_.front();
    free_.erase(free_.begin());
    blocks_[block] = {};
    blocks_[block].owners = 1;
    return block;
  }
  void name(Block block, Name name) {
    blocks_[block].name = name;
    blocks_[block].named_at = ++clock_;
  }
  /// Of several blocks with this name, that which got it first.
  [[nodiscard]] std::optional<Block> find(Name name) const {
    std::optional<Block> first;
    for (Block block = 0; block < blocks_.size(); ++block) {
      if (blocks_[block].name != name) continue;
      if (!first || blocks_[block].named_at < blocks_[*first].named_at) first = block;
    }
    return first;
  }
  [[nodiscard]] std::vector<Block> find(const std::vector<Name>& names) const {
    std::vector<Block> run;
    for (const Name wanted : names) {
      const auto block = find(wanted);
      if (!block) break;
      run.push_back(*block);
    }
    return run;
  }
  [[nodiscard]] bool owned(Block block) const { return blocks_[block].owners > 0; }
  void share(Block block) {
    if (blocks_[block].owners++ == 0) std::erase(free_, block);
  }
  void release(Block block) {
    if (--blocks_[block].owners == 0) free_.push_back(block);
  }

 private:
  struct State {
    std::int64_t owners = 0;
    std::optional<Name> name;
    std::int64_t named_at = 0;
  };
  std::vector<State> blocks_;
  std::vector<Block> free_;  ///< in the order in which they were given back
  std::int64_t clock_ = 0;
};

}  // namespace gpucap::test

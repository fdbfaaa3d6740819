#pragma once

#include "gpucap/serving/content_table.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gpucap::serving {

/// Paged KV cache of one replica with prefix caching, as vLLM V1 keeps it: blocks of a fixed number
/// of tokens, shared by reference count, found again by the hash of their content and of all before
/// it. Unowned blocks stay findable in the order in which they were given back, until they are
/// handed out.
///
/// Only blocks whose content others may know are kept one by one. Those that belong to one sequence
/// alone are counted: who takes 80 of them does not touch 80 objects.
class BlockPool {
 public:
  using Hash = ContentTable::Hash;
  using Content = ContentTable::Content;  ///< a block that can be found by hash

  /// Blocks of a sequence that was thrown out, as long as nobody else needs them. Default: none.
  struct Parked {
    std::uint32_t extent = none;
    std::uint32_t generation = 0;
  };

  explicit BlockPool(std::int64_t blocks);

  [[nodiscard]] std::int64_t free_blocks() const { return free_; }
  [[nodiscard]] std::int64_t blocks() const { return blocks_; }

  /// Takes free blocks, those first that were given back first, forgetting what they held. There
  /// must be enough.
  void take(std::int64_t count) {
    if (count == 0) return;
    free_ -= count;
    Extent& first = extents_[head_];
    if (count < first.count) {
      first.count -= count;
    } else {
      take_extents(count);
    }
  }
  /// Gives back blocks that nobody will look for.
  void release(std::int64_t count);

  /// Appends the longest run of `hashes`, from the first on, that is resident.
  void find(std::span<const Hash> hashes, std::vector<Content>& run) const;
  /// How many of these blocks nobody owns: taking them uses up free blocks.
  [[nodiscard]] std::int64_t unowned(std::span<const Content> run) const;
  /// Adds an owner to each block.
  void share(std::span<const Content> run);
  /// From now on one of the blocks taken can be found by this hash.
  Content publish(Hash hash);
  /// Gives up ownership, of the last block first: the head of a sequence survives longest.
  void release(std::span<const Content> run);

  /// Gives back blocks that their sequence may come back for; the last of them is lost first.
  Parked park(std::int64_t count);
  /// How many of them are still there: always the first ones.
  [[nodiscard]] std::int64_t parked(Parked parked) const;
  /// Takes what is left of them.
  void unpark(Parked parked);
  /// Nobody will come back for them.
  void abandon(Parked parked);

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// Free blocks that were given back together, in the list of free blocks.
  struct Extent {
    std::uint32_t before = none, after = none;
    std::uint32_t generation = 0;  ///< counts how often this record was reused
    Content content = none;        ///< of a single findable block
    bool parked = false;
    std::int64_t count = 0;
  };
  struct Known {
    Hash hash = 0;
    std::uint32_t owners = 0;
    Content same = none;          ///< next block with equal hash, in order of publishing
    std::uint32_t extent = none;  ///< while nobody owns it
  };

  void take_extents(std::int64_t count);
  std::uint32_t append(std::int64_t count);
  void remove(std::uint32_t extent);
  void forget(Content content);
  [[nodiscard]] bool current(Parked parked) const;

  std::int64_t blocks_;
  std::int64_t free_ = 0;
  std::vector<Extent> extents_;
  std::vector<std::uint32_t> spare_extents_;
  std::uint32_t head_ = none, tail_ = none;
  std::vector<Known> known_;
  std::vector<Content> spare_known_;
  ContentTable by_hash_;  // the first block of each hash
};

}  // namespace gpucap::serving

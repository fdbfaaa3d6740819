#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace gpucap::serving {

/// Paged KV cache of one replica with prefix caching, as vLLM V1 keeps it: blocks of a fixed number
/// of tokens, shared by reference count, found again by the hash of their content and of all before
/// it. Unowned blocks stay findable in one least-recently-used list until they are handed out.
class BlockPool {
 public:
  using Block = std::uint32_t;
  using Hash = std::uint64_t;  ///< 0 is no hash

  explicit BlockPool(std::int64_t blocks);

  [[nodiscard]] std::int64_t free_blocks() const { return free_count_; }
  [[nodiscard]] std::int64_t blocks() const { return static_cast<std::int64_t>(nodes_.size()); }

  /// Longest run of `hashes` that is resident, from the first on.
  [[nodiscard]] std::vector<Block> find(std::span<const Hash> hashes) const;
  /// How many of these blocks nobody owns: taking them uses up free blocks.
  [[nodiscard]] std::int64_t unowned(std::span<const Block> blocks) const;

  /// Adds an owner to each block.
  void share(std::span<const Block> blocks);
  /// Takes `count` blocks from the head of the free list, forgetting what they held, and appends
  /// them to `owned`. There must be enough.
  void take(std::int64_t count, std::vector<Block>& owned);
  /// From now on the block can be found by this hash.
  void publish(Block block, Hash hash);
  /// Gives blocks back, the last of the sequence first: its head survives longest.
  void release(std::span<const Block> blocks);

 private:
  static constexpr Block none = ~Block{0};
  struct Node {
    std::uint32_t owners = 0;
    Block before = none, after = none;  ///< in the free list
    Block same = none;                  ///< next block with equal hash
    Hash hash = 0;
  };
  void append_free(Block block);
  void unlink(Block block);
  void forget(Block block);

  std::vector<Node> nodes_;
  std::unordered_map<Hash, Block> by_hash_;
  Block head_ = none, tail_ = none;
  std::int64_t free_count_ = 0;
};

}  // namespace gpucap::serving

#pragma once

#include <cstdint>

#include "fragments.hpp"

namespace gpucap::measure::cuda {

// A warp works on 16 query rows. Scores are queries x keys, their exponentials x values the output;
// both are products of FP16 fragments (fragments.hpp). Tiles of keys and of values lie in shared
// memory by rows of one head, D numbers each.

/// Register `r` of a left fragment read straight from memory: row, and 32-bit word of the slice.
GPUCAP_HD constexpr Place left_word(int lane, int r) {
  return {lane / 4 + 8 * (r % 2), lane % 4 + 4 * (r / 2)};
}

template <int D>
struct HeadTile {
  static_assert(D == 64 || D == 128);
  static constexpr int chunks = D / 8, slices = D / 16, row_bytes = 2 * D;

  /// Chunk `index` of a tile that is copied chunk by chunk.
  GPUCAP_HD static constexpr Place copied(int index) { return {index / chunks, index % chunks}; }
  /// Byte that a lane names for keys from `key`, numbers 16 `slice` on.
  GPUCAP_HD static constexpr int key_source(int key, int slice, int lane) {
    const Place place = right_source(lane);
    return chunk_offset<chunks>(key + place.row, 2 * slice + place.column);
  }
  /// Byte that a lane names for values of 16 keys from `key`, numbers 16 `slice` on; transposed.
  GPUCAP_HD static constexpr int value_source(int key, int slice, int lane) {
    const Place place = left_source(lane);
    return chunk_offset<chunks>(key + place.row, 2 * slice + place.column);
  }
};

/// [batch][length][heads][D] in memory: where a row of D numbers begins.
GPUCAP_HD constexpr std::int64_t head_row(std::int64_t batch, std::int64_t token, int head,
                                          std::int64_t length, int heads) {
  return (batch * length + token) * heads + head;
}

struct PrefillOperands {
  const void *q, *k, *v;
  void* out;
  int heads, kv_heads, head_dim, batch, q_length, kv_length;
};

/// Tiles of `keys` keys: 64, or 32 where registers would not do.
struct PrefillTile {
  static constexpr int queries = 64, warps = 4, threads = 128;

  /// Last key that a query sees; the new tokens are the last of the sequence.
  GPUCAP_HD static constexpr int last_key(int query, int q_length, int kv_length) {
    return query + kv_length - q_length;
  }
  /// Tiles of keys that the queries from `first` on need.
  GPUCAP_HD static constexpr int key_tiles(int first, int keys, int q_length, int kv_length) {
    const int last = first + queries < q_length ? first + queries - 1 : q_length - 1;
    return ceil_div(last_key(last, q_length, kv_length) + 1, keys);
  }
  /// Whether all queries from `first` on see all of a tile of keys.
  GPUCAP_HD static constexpr bool all_visible(int first, int tile, int keys, int q_length,
                                              int kv_length) {
    return (tile + 1) * keys - 1 <= last_key(first, q_length, kv_length);
  }
  /// Longest rows first: the last tile of queries has the most keys.
  GPUCAP_HD static constexpr int first_query(int block, int q_length) {
    return (ceil_div(q_length, queries) - 1 - block) * queries;
  }
};

/// Keys and values lie in blocks of 16 tokens, [block][token][kv_heads][D]; block `i` of a sequence
/// is number table[sequence * blocks + i].
struct DecodeOperands {
  const void *q, *k, *v;
  const int* table;
  void* out;
  float* partial;  ///< [batch][heads][splits][D]
  float* weight;   ///< [batch][heads][splits], logarithms to base 2
  int heads, kv_heads, head_dim, batch, kv_length;
  int splits;  ///< of each sequence
};

struct PagedCache {
  static constexpr int block_tokens = 16;

  GPUCAP_HD static constexpr int blocks(int kv_length) { return ceil_div(kv_length, block_tokens); }
  /// Where the D numbers of a token begin, in rows.
  GPUCAP_HD static constexpr std::int64_t row(int block, int token, int kv_head, int kv_heads) {
    return (static_cast<std::int64_t>(block) * block_tokens + token) * kv_heads + kv_head;
  }
};

struct Range {
  int begin, end;
};

/// The query heads that share a key head fill the 16 rows of a warp, in several tiles when there
/// are more. A split is a run of cache blocks; each has a warp of its own.
struct DecodeTile {
  static constexpr int rows = 16, warps = 2, threads = 64, stages = 2;

  GPUCAP_HD static constexpr int row_tiles(int heads, int kv_heads) {
    return ceil_div(heads / kv_heads, rows);
  }
  /// Splits so that `wanted` warps have work, each at least one block, and none is empty.
  GPUCAP_HD static constexpr int splits(int blocks, std::int64_t others, std::int64_t wanted) {
    const std::int64_t asked = ceil_div(wanted, others < 1 ? 1 : others);
    const int most = asked < blocks ? static_cast<int>(asked) : blocks;
    const int each = ceil_div(blocks, most < 1 ? 1 : most);
    return ceil_div(blocks, each);
  }
  GPUCAP_HD static constexpr Range blocks_of(int split, int blocks, int splits) {
    const int each = ceil_div(blocks, splits);
    const int begin = split * each < blocks ? split * each : blocks;
    return {begin, begin + each < blocks ? begin + each : blocks};
  }
};

/// Where the result of a split stands.
GPUCAP_HD constexpr std::int64_t partial_row(int batch, int head, int split, int heads,
                                             int splits) {
  return (static_cast<std::int64_t>(batch) * heads + head) * splits + split;
}

}  // namespace gpucap::measure::cuda

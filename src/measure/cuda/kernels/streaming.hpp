#pragma once

#include <cstdint>

#include "hd.hpp"

namespace gpucap::measure::cuda {

// Arrays are worked on in chunks of 16 bytes, the widest load of a thread.

struct StreamTile {
  static constexpr int threads = 256, each = 4, chunks = threads * each;

  /// Chunk `i` of a thread: neighbours read neighbours.
  GPUCAP_HD static constexpr std::int64_t chunk(std::int64_t block, int thread, int i) {
    return block * chunks + i * threads + thread;
  }
  GPUCAP_HD static constexpr std::int64_t blocks(std::int64_t all_chunks) {
    return ceil_div<std::int64_t>(all_chunks, chunks);
  }
};

/// Element-wise kernels of a decoder layer, on FP16 numbers, eight to a chunk.
struct PassOperands {
  const void *x, *other;  ///< other: residual, or the second half's values
  const void* scale;      ///< norm weights; cosines and sines
  void *y, *sum;          ///< sum: the new residual
  std::int64_t tokens;
  int width;
};

/// Rotary embedding turns number i of a head's first half with number i of the second.
struct RotaryTile {
  static constexpr int head_dim = 128, half = 64, chunks = half / 8;

  struct Spot {
    std::int64_t token, first, second;  ///< first number of each chunk
    int angle;                          ///< first angle
  };
  /// Pair of chunks `index` of all.
  GPUCAP_HD static constexpr Spot spot(std::int64_t index, int width) {
    const std::int64_t per_token = width / head_dim * chunks, token = index / per_token;
    const int within = static_cast<int>(index % per_token), angle = within % chunks * 8;
    const std::int64_t first = token * width + within / chunks * head_dim + angle;
    return {token, first, first + half, angle};
  }
  GPUCAP_HD static constexpr std::int64_t pairs(std::int64_t tokens, int width) {
    return tokens * (width / head_dim) * chunks;
  }
  /// Cosines of a token, then its sines, in the table of angles.
  GPUCAP_HD static constexpr std::int64_t cosine(std::int64_t token, int angle) {
    return token * head_dim + angle;
  }
};

/// Both halves of a token stand side by side: where chunk `index` of the output comes from.
struct GatedSpot {
  std::int64_t gate, value;  ///< in numbers
};
GPUCAP_HD constexpr GatedSpot gated_spot(std::int64_t index, int width) {
  const std::int64_t chunks = width / 8, token = index / chunks, chunk = index % chunks;
  const std::int64_t gate = token * 2 * width + chunk * 8;
  return {gate, gate + width};
}

/// The part of a payload of `chunks` that a card sums up for all others.
struct Share {
  std::int64_t begin, end;
};
GPUCAP_HD constexpr Share share_of(int rank, int ranks, std::int64_t chunks) {
  return {chunks * rank / ranks, chunks * (rank + 1) / ranks};
}
GPUCAP_HD constexpr int owner_of(std::int64_t chunk, int ranks, std::int64_t chunks) {
  int rank = 0;
  while (chunk >= share_of(rank, ranks, chunks).end) ++rank;
  return rank;
}

/// Cards of one process that reach each other's memory.
struct Peers {
  static constexpr int most = 8;
  const void* input[most];
  void* output[most];
  int ranks, rank;
  std::int64_t chunks;
};

}  // namespace gpucap::measure::cuda

#pragma once

#include "gpucap/perf/kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "layer_shapes.hpp"

namespace gpucap::perf {

/// Prompt pieces as one kind of layers sees them: cut to the sliding window where it has one. Cut
/// on the way, so that pricing a step allocates nothing.
struct SeenChunks {
  std::span<const Chunk> chunks;
  std::optional<std::int64_t> window;

  [[nodiscard]] std::size_t size() const { return chunks.size(); }
  Chunk operator[](std::size_t i) const {
    return window ? windowed(chunks[i], *window) : chunks[i];
  }
};

Work prefill_attention(const PrefillAttentionFit& fit, const Card& card,
                       const AttentionShape& shape, const SeenChunks& chunks);

Work mixed_attention(const Calibration& calibration, const Card& card, const AttentionShape& shape,
                     const SeenChunks& chunks, const Decodes& decodes);

}  // namespace gpucap::perf

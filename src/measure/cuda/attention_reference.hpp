#pragma once

#include "gpucap/measure/work.hpp"

#include <vector>

#include "reference.hpp"

namespace gpucap::measure::cuda {

/// Numbers 0 to count - 1 in random order: where the blocks of a cache that has been in use for a
/// while lie.
std::vector<int> shuffled_blocks(int count, std::uint64_t seed);

/// Attention over drawn numbers in double precision.
struct AttentionReference {
  /// `table`: blocks of a paged cache of all sequences; empty: keys and values lie in order.
  AttentionReference(const Attention& work, std::uint64_t seed, std::vector<int> table);

  /// Rows of head_dim numbers of all keys, and of all values.
  [[nodiscard]] std::int64_t kv_rows() const;
  /// Output row `row` of [batch][q][heads].
  [[nodiscard]] std::vector<double> row(std::int64_t row) const;

  Attention work;
  Drawn q, k, v;
  std::vector<int> table;

 private:
  [[nodiscard]] std::int64_t kv_row(std::int64_t batch, std::int64_t key, std::int64_t head) const;
  [[nodiscard]] double score(const std::vector<double>& query, std::int64_t k_row) const;
};

}  // namespace gpucap::measure::cuda

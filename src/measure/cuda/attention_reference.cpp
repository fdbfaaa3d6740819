#include "attention_reference.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/attention_tiles.hpp"

namespace gpucap::measure::cuda {

std::vector<int> shuffled_blocks(int count, std::uint64_t seed) {
  std::vector<int> blocks(static_cast<std::size_t>(count));
  std::iota(blocks.begin(), blocks.end(), 0);
  for (std::size_t left = blocks.size(); left > 1; --left) {
    std::swap(blocks[left - 1], blocks[mixed(mixed(seed) + left) % left]);
  }
  return blocks;
}

AttentionReference::AttentionReference(const Attention& attention, std::uint64_t seed,
                                       std::vector<int> blocks)
    : work(attention),
      q{Number::fp16, seed},
      k{Number::fp16, seed + 1},
      v{Number::fp16, seed + 2},
      table(std::move(blocks)) {}

std::int64_t AttentionReference::kv_rows() const {
  const std::int64_t tokens =
      table.empty() ? work.batch * work.kv
                    : static_cast<std::int64_t>(table.size()) * PagedCache::block_tokens;
  return tokens * work.kv_heads;
}

std::int64_t AttentionReference::kv_row(std::int64_t batch, std::int64_t key,
                                        std::int64_t head) const {
  if (table.empty()) return (batch * work.kv + key) * work.kv_heads + head;
  const std::int64_t blocks = static_cast<std::int64_t>(table.size()) / work.batch;
  const std::int64_t block = table[static_cast<std::size_t>(batch * blocks + key / 16)];
  return (block * 16 + key % 16) * work.kv_heads + head;
}

double AttentionReference::score(const std::vector<double>& query, std::int64_t k_row) const {
  double sum = 0;
  for (std::int64_t i = 0; i < work.head_dim; ++i) {
    sum += query[static_cast<std::size_t>(i)] * k(k_row * work.head_dim + i);
  }
  return sum / std::sqrt(static_cast<double>(work.head_dim));
}

std::vector<double> AttentionReference::row(std::int64_t row) const {
  const std::int64_t head = row % work.heads, token = row / work.heads;
  const std::int64_t batch = token / work.q, query = token % work.q;
  const std::int64_t kv_head = head / (work.heads / work.kv_heads);
  const std::int64_t keys = query + work.kv - work.q + 1;
  std::vector<double> out(static_cast<std::size_t>(work.head_dim)), numbers(out.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = q(row * work.head_dim + static_cast<std::int64_t>(i));
  }
  double total = 0;
  for (std::int64_t key = 0; key < keys; ++key) {
    const std::int64_t at = kv_row(batch, key, kv_head);
    // Numbers in [-1, 1): a score stays within sqrt(head_dim), so nothing overflows.
    const double weight = std::exp(score(numbers, at));
    total += weight;
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] += weight * v(at * work.head_dim + static_cast<std::int64_t>(i));
    }
  }
  for (double& value : out) value /= total;
  return out;
}

}  // namespace gpucap::measure::cuda

#include "gpucap/perf/footprint.hpp"

#include <algorithm>

namespace gpucap::perf {
namespace {

std::int64_t blocks_for(std::int64_t tokens, std::int64_t block_tokens) {
  return (tokens + block_tokens - 1) / block_tokens;
}

}  // namespace

std::int64_t blocks_of_sequence(const KvPool& pool, std::int64_t tokens) {
  const auto whole = blocks_for(tokens, pool.block_tokens);
  // One block more than the window fills, because the window slides across block borders.
  const auto held = blocks_for(std::min(tokens, pool.window_tokens), pool.block_tokens) + 1;
  return pool.full_groups * whole + pool.window_groups * std::min(whole, held) + pool.state_groups;
}

std::int64_t largest_context(const KvPool& pool, std::int64_t limit) {
  std::int64_t fits = 0;
  for (std::int64_t beyond = limit + 1; beyond - fits > 1;) {
    const auto middle = fits + (beyond - fits) / 2;
    (blocks_of_sequence(pool, middle) <= pool.blocks - 1 ? fits : beyond) = middle;
  }
  return fits;
}

std::int64_t largest_concurrency(const KvPool& pool, std::int64_t tokens) {
  return std::max<std::int64_t>(0, pool.blocks - 1) / blocks_of_sequence(pool, tokens);
}

}  // namespace gpucap::perf

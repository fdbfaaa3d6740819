#pragma once

#include <cstdint>
#include <vector>

namespace gpucap::calibrate {

/// What tells samples apart when some are kept back to judge a fit.
struct SplitKey {
  std::vector<std::int64_t> shape;  ///< (n, k) of a product, heads of attention
  std::int64_t size = 0;            ///< m, KV tokens, payload: stands in where shapes are few
};

/// Group of each sample and whether the group is held out.
struct Split {
  std::vector<std::size_t> group;  ///< numbered in numeric order of the keys
  std::vector<bool> held_out;
  std::size_t groups = 0;
};

/// Every fifth group in numeric order (index % 5 == 4) is held out. Groups are shapes; with fewer
/// than ten shapes they are sizes.
Split split(const std::vector<SplitKey>& keys);

}  // namespace gpucap::calibrate

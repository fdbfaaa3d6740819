#pragma once

#include "gpucap/perf/kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpucap::perf {

/// Work remembered by a count of tokens or sequences. Few of many counts occur, so a small index
/// stands before the works: the works that are in use stay close together.
class WorkByCount {
 public:
  /// Null when unknown. Valid until the next `put`.
  [[nodiscard]] const Work* find(std::int64_t count) const {
    const auto at = static_cast<std::size_t>(count);
    if (at >= place_.size() || place_[at] == unknown) return nullptr;
    return &works_[place_[at] - 1];
  }

  void put(std::int64_t count, const Work& work) {
    works_.push_back(work);
    place(count) = static_cast<std::uint32_t>(works_.size());
  }

  /// From now on `count` has the work of `same`, which is known.
  void share(std::int64_t count, std::int64_t same) {
    const std::uint32_t known = place(same);
    place(count) = known;
  }

 private:
  static constexpr std::uint32_t unknown = 0;

  std::uint32_t& place(std::int64_t count) {
    const auto at = static_cast<std::size_t>(count);
    if (at >= place_.size()) place_.resize(at + 1, unknown);
    return place_[at];
  }

  std::vector<std::uint32_t> place_;  ///< one past the index in works_
  std::vector<Work> works_;
};

}  // namespace gpucap::perf

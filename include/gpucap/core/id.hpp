#pragma once

#include <compare>
#include <cstdint>

namespace gpucap {

/// An index that belongs to one kind of thing: Id<struct RequestTag> is no Id<struct NodeTag>.
template <class Tag>
struct Id {
  std::uint32_t index = 0;
  constexpr auto operator<=>(const Id&) const = default;
};

}  // namespace gpucap

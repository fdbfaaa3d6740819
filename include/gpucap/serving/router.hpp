#pragma once

#include "gpucap/engine/least_count.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gpucap::serving {

/// Which replica gets the next request.
enum class Router : std::uint8_t {
  round_robin,
  least_loaded,  ///< fewest requests waiting or running; the first of equals
};

inline constexpr Router routers[] = {Router::round_robin, Router::least_loaded};
std::string_view name(Router router);

/// What a router sees: of each replica the requests in the system after its last completed step,
/// and how many were routed so far.
struct RoutingView {
  std::size_t replicas;
  const engine::LeastCount& in_system;
  std::int64_t turn;
};

std::size_t choose(Router router, const RoutingView& view);

}  // namespace gpucap::serving

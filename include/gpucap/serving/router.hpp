#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace gpucap::serving {

/// Which replica gets the next request.
enum class Router : std::uint8_t {
  round_robin,
  least_loaded,  ///< fewest requests waiting or running; the first of equals
};

inline constexpr Router routers[] = {Router::round_robin, Router::least_loaded};
std::string_view name(Router router);

/// What a router sees of a replica: its state after its last completed step.
struct ReplicaView {
  std::int64_t in_system = 0;
};

/// `turn` is the number of requests routed before this one.
std::size_t choose(Router router, std::span<const ReplicaView> replicas, std::int64_t turn);

}  // namespace gpucap::serving

#include "gpucap/serving/router.hpp"

#include <algorithm>

namespace gpucap::serving {

std::string_view name(Router router) {
  return router == Router::round_robin ? "round-robin" : "least-loaded";
}

std::size_t choose(Router router, std::span<const ReplicaView> replicas, std::int64_t turn) {
  if (router == Router::round_robin) return static_cast<std::size_t>(turn) % replicas.size();
  const auto least = std::min_element(
      replicas.begin(), replicas.end(),
      [](const ReplicaView& a, const ReplicaView& b) { return a.in_system < b.in_system; });
  return static_cast<std::size_t>(least - replicas.begin());
}

}  // namespace gpucap::serving

#include "gpucap/serving/router.hpp"

namespace gpucap::serving {

std::string_view name(Router router) {
  return router == Router::round_robin ? "round-robin" : "least-loaded";
}

std::size_t choose(Router router, const RoutingView& view) {
  if (router == Router::least_loaded) return view.in_system.least();
  return static_cast<std::size_t>(view.turn) % view.replicas;
}

}  // namespace gpucap::serving

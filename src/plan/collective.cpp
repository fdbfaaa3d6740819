#include "gpucap/plan/collective.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

#include <fmt/format.h>

namespace gpucap::plan {
namespace {

using hardware::Collective;
using perf::CollectiveFit;

/// "vllm-0.19" -> "vllm" and 0.19 as a whole number that grows with the version.
struct Implementation {
  std::string_view family;
  int version = 0;
};

Implementation split(std::string_view id) {
  const std::size_t dash = id.rfind('-');
  if (dash == std::string_view::npos) return {id, 0};
  Implementation parts{id.substr(0, dash), 0};
  std::string_view rest = id.substr(dash + 1);
  for (int digits = 0; digits < 3; ++digits) {
    int number = 0;
    const auto end = std::from_chars(rest.data(), rest.data() + rest.size(), number).ptr;
    parts.version = parts.version * 1000 + number;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (!rest.empty()) rest.remove_prefix(1);
  }
  return parts;
}

/// Smaller is nearer: the engine's own implementation before NCCL before any other; of its own the
/// version nearest to the engine's, the older of two equally near; of others the newest.
std::tuple<int, int, int> distance(const CollectiveFit& fit, const Implementation& engine) {
  const Implementation has = split(fit.implementation);
  if (has.family == engine.family) {
    return {0, std::abs(has.version - engine.version), has.version};
  }
  return {has.family == "nccl" ? 1 : 2, -has.version, 0};
}

const CollectiveFit* measured(const perf::Calibration& calibration, const std::string& host,
                              Collective collective, int ranks, std::string_view engine) {
  const Implementation wanted = split(engine);
  const CollectiveFit* best = nullptr;
  for (const CollectiveFit& fit : calibration.collectives) {
    if (fit.collective != collective || fit.host != host || fit.ranks != ranks) continue;
    if (best == nullptr || distance(fit, wanted) < distance(*best, wanted)) best = &fit;
  }
  return best;
}

/// What this very host does beyond the links' usual rate, seen at the nearest number of ranks
/// (the smaller of two equally near) at which the same kind of link is the limit; else 1.
double own_share(const perf::Calibration& calibration, const hardware::Host& host,
                 Collective collective, const hardware::CollectiveCost& cost,
                 std::string_view engine) {
  const auto ranks = static_cast<int>(cost.order.size());
  double share = 1;
  int nearest = host.max_gpus + 1;
  for (int other = 2; other <= host.max_gpus; ++other) {
    const CollectiveFit* fit = measured(calibration, host.id, collective, other, engine);
    if (fit == nullptr || std::abs(other - ranks) >= nearest) continue;
    const auto seen =
        hardware::collective_cost(host.topology, calibration.links, collective, other);
    if (seen.limit != cost.limit || seen.staged != cost.staged) continue;
    nearest = std::abs(other - ranks);
    share = fit->busbw / seen.busbw;
  }
  return share;
}

}  // namespace

CollectiveFit collective_on(const perf::Calibration& calibration, const hardware::Host& host,
                            Collective collective, int ranks, std::string_view engine) {
  if (const auto* fit = measured(calibration, host.id, collective, ranks, engine)) return *fit;
  const auto cost = hardware::collective_cost(host.topology, calibration.links, collective, ranks);
  const double share = own_share(calibration, host, collective, cost, engine);
  CollectiveFit derived;
  derived.collective = collective;
  derived.host = host.id;
  derived.ranks = ranks;
  derived.alpha = cost.alpha;
  derived.busbw = cost.busbw * share;
  derived.q = calibration.links.q;
  derived.implementation = "links";
  derived.interval = cost.error;
  derived.origin.file = calibration.links_file;
  derived.origin.source =
      fmt::format("{} over the links of {}, limited by {}{}{}", hardware::name(collective), host.id,
                  cost.staged ? "staged copies over " : "", hardware::name(cost.limit),
                  share == 1 ? "" : ", at the share measured on this host");
  return derived;
}

}  // namespace gpucap::plan

#pragma once

#include "gpucap/cluster/free_map.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gpucap::cluster {

/// Who stands first in the queue; earlier submits first among equals, and always in `arrival`.
enum class Order : std::uint8_t { arrival, shortest, priority };

/// Whether jobs may overtake one that does not fit: none, or those that do not delay it (EASY).
enum class Backfill : std::uint8_t { none, easy };

/// What jobs with a scalability table may do.
enum class Elasticity : std::uint8_t {
  none,    ///< all jobs are rigid
  shrink,  ///< the first in the queue starts on fewer GPUs rather than wait
  resize,  ///< and running ones grow while nobody waits, and give the growth back when one does
};

/// A job that runs longer than its limit.
enum class Overrun : std::uint8_t { run_on, cut };

struct Policy {
  Order order = Order::arrival;
  Backfill backfill = Backfill::none;
  Packing packing = Packing::pack;
  Elasticity elasticity = Elasticity::none;
  Overrun overrun = Overrun::run_on;
};

/// A rule for the queue by its short name.
struct NamedRule {
  std::string_view name;
  Order order;
  Backfill backfill;
};
inline constexpr std::array<NamedRule, 4> queue_rules{{
    {"fifo", Order::arrival, Backfill::none},
    {"shortest-first", Order::shortest, Backfill::none},
    {"priority", Order::priority, Backfill::none},
    {"easy", Order::arrival, Backfill::easy},
}};

/// Place in the queue: lower first.
struct Rank {
  std::int64_t by_rule = 0;   ///< the same for all, estimate, or priority below zero
  std::uint64_t arrival = 0;  ///< number of the job by submit
  constexpr auto operator<=>(const Rank&) const = default;
};

}  // namespace gpucap::cluster

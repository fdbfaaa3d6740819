#pragma once

#include "gpucap/units/quantity.hpp"

#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>

namespace gpucap {

/// An instant of simulated time in whole nanoseconds since the start of the run.
struct SimTime {
  std::int64_t ns = 0;
  constexpr auto operator<=>(const SimTime&) const = default;
  static constexpr SimTime never() { return {std::numeric_limits<std::int64_t>::max()}; }
};

/// Exact duration inside a busy period: a whole number of 2^-20 ns. Costs of steps are rounded to
/// it once, when a model duration becomes a coefficient; after that all arithmetic is exact, so
/// n equal steps summed one by one equal n times one step.
struct Ticks {
  __extension__ using Wide = __int128;
  static constexpr int fraction_bits = 20;

  Wide count = 0;

  constexpr auto operator<=>(const Ticks&) const = default;
  constexpr Ticks operator+(Ticks other) const { return {count + other.count}; }
  constexpr Ticks operator-(Ticks other) const { return {count - other.count}; }
  constexpr Ticks& operator+=(Ticks other) {
    count += other.count;
    return *this;
  }
  constexpr Ticks operator*(std::int64_t n) const { return {count * n}; }
};

/// The nearest whole number, halves to the even one. The 128-bit conversion is a call of its own
/// and steps are priced by the million, so what fits 64 bits takes the short way.
inline Ticks::Wide nearest_whole(double value) {
  constexpr double narrow = 9e18;
  if (std::fabs(value) < narrow) return std::llrint(value);
  return static_cast<Ticks::Wide>(value);  // a double as large as this has no fraction
}

[[noreturn]] void throw_no_step_cost();

/// The one place where a model duration (real seconds) becomes an integer; rounds to nearest.
/// Throws std::out_of_range when that is no number or beyond 1e30 ticks.
inline Ticks to_ticks(Seconds duration) {
  const double ticks = duration.in(unit::ns) * (1 << Ticks::fraction_bits);
  if (!(std::fabs(ticks) < 1e30)) throw_no_step_cost();
  return {nearest_whole(ticks)};
}

constexpr Ticks to_ticks(SimTime instant) {
  return {static_cast<Ticks::Wide>(instant.ns) << Ticks::fraction_bits};
}

/// The instant that is shown for an exact one: rounded up to the next nanosecond.
constexpr SimTime shown(Ticks exact) {
  constexpr Ticks::Wide mask = (Ticks::Wide{1} << Ticks::fraction_bits) - 1;
  return {static_cast<std::int64_t>((exact.count + mask) >> Ticks::fraction_bits)};
}

/// The least exact time that is shown as `instant` or later.
constexpr Ticks first_shown_as(SimTime instant) {
  return to_ticks(SimTime{instant.ns - 1}) + Ticks{1};
}

/// Seconds as a real number, for reports only.
constexpr double as_seconds(SimTime t) {
  return static_cast<double>(t.ns) * 1e-9;
}
constexpr double as_seconds(Ticks t) {
  return static_cast<double>(t.count) * (1e-9 / (1 << Ticks::fraction_bits));
}

/// Nearest whole nanosecond; throws std::out_of_range beyond about 292 years.
SimTime to_sim_time(Seconds since_start);

}  // namespace gpucap

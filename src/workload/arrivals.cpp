#include "gpucap/workload/arrivals.hpp"

#include <cmath>

#include <fmt/format.h>

namespace gpucap::workload {
namespace {

std::optional<ParseFailure> bad_rate(Frequency rate) {
  const double per_s = rate.in(unit::per_s);
  if (per_s > 0 && std::isfinite(per_s)) return std::nullopt;
  return ParseFailure{fmt::format("an arrival rate of {}/s is not above 0", per_s), "out-of-range"};
}

}  // namespace

Parsed<Arrivals> Arrivals::constant(Frequency rate) {
  if (const auto bad = bad_rate(rate)) return *bad;
  return Arrivals(Constant{1.0 / rate.in(unit::per_s)*unit::s});
}

// An exponential gap is a gamma gap of shape 1.
Parsed<Arrivals> Arrivals::poisson(Frequency rate) {
  return gamma(rate, 1);
}

Parsed<Arrivals> Arrivals::gamma(Frequency rate, double burstiness) {
  if (const auto bad = bad_rate(rate)) return *bad;
  if (!(burstiness > 0 && std::isfinite(burstiness))) {
    return ParseFailure{fmt::format("a burstiness of {} is not above 0", burstiness),
                        "out-of-range"};
  }
  return Arrivals(Gamma{burstiness, 1.0 / (rate.in(unit::per_s)*burstiness) * unit::s});
}

Arrivals Arrivals::all_at_once() {
  return Arrivals(AllAtOnce{});
}

Parsed<Arrivals> Arrivals::closed_loop(std::int64_t clients) {
  if (clients >= 1) return Arrivals(ClosedLoop{clients});
  return ParseFailure{fmt::format("{} clients are too few; at least 1", clients), "out-of-range"};
}

std::optional<std::int64_t> Arrivals::clients() const {
  if (const auto* loop = std::get_if<ClosedLoop>(&shape_)) return loop->clients;
  return std::nullopt;
}

ArrivalClock::ArrivalClock(std::uint64_t seed, Arrivals arrivals)
    : arrivals_(arrivals), random_(seed, "arrivals") {}

Seconds ArrivalClock::gap_sum() {
  if (const auto* equal = std::get_if<Arrivals::Constant>(&arrivals_.shape_)) {
    return static_cast<double>(issued_) * equal->gap;
  }
  if (const auto* gaps = std::get_if<Arrivals::Gamma>(&arrivals_.shape_)) {
    if (issued_ == 0) return {};
    const bool exponential = gaps->shape == 1;  // the same law, drawn more cheaply
    const double gap = exponential ? random_.exponential(gaps->scale.in(unit::s))
                                   : random_.gamma(gaps->shape, gaps->scale.in(unit::s));
    return random_gaps_ += gap * unit::s;
  }
  return {};
}

SimTime ArrivalClock::next() {
  const Seconds at = gap_sum();
  ++issued_;
  return to_sim_time(at);
}

}  // namespace gpucap::workload

#include "gpucap/account/energy.hpp"

#include <algorithm>
#include <stdexcept>

namespace gpucap::account {
namespace {

using record::State;

Seconds seconds(Ticks ticks) {
  return as_seconds(ticks) * unit::s;
}

struct Integral {
  Joules active, idle;
  Seconds covered;
};

/// One card of a replica.
Integral integrate(const CardPower& card, const record::Timeline& timeline) {
  Integral sum;
  Ticks covered;
  for (const auto& bucket : timeline.buckets()) {
    for (std::size_t i = 0; i < record::state_count; ++i) {
      const auto state = static_cast<State>(i);
      const Joules joules = energy_of(card, state, bucket.by_state[i]);
      (state == State::idle ? sum.idle : sum.active) += joules;
      covered += bucket.by_state[i].time;
    }
  }
  sum.covered = seconds(covered);
  return sum;
}

Seconds uncovered(Seconds held, Seconds covered) {
  const Seconds rounding = 1 * unit::us;  // held is shown in nanoseconds, intervals are exact
  if (covered > held + rounding) throw std::invalid_argument("intervals cover more than was held");
  return std::max(Seconds{}, held - covered);
}

void check(const NodeWork& work, const EnergyTerms& terms) {
  const auto replicas = static_cast<std::int64_t>(work.timelines.size());
  if (work.ranks < 1 || replicas * work.ranks > work.cards) {
    throw std::invalid_argument("replicas need more cards than the node has");
  }
  if (terms.pue && !(*terms.pue >= 1)) throw std::invalid_argument("PUE is below 1");
  if (terms.grid_g_per_kwh && !(*terms.grid_g_per_kwh >= 0)) {
    throw std::invalid_argument("the grid factor is negative");
  }
}

void add_carbon(EnergySummary& energy, const EnergyTerms& terms) {
  if (!terms.grid_g_per_kwh) return;
  energy.gco2e = energy.total.in(unit::kWh)*terms.pue.value_or(1) * *terms.grid_g_per_kwh;
  if (!terms.pue) energy.notes.emplace_back("gCO2e without PUE: cards only");
}

}  // namespace

std::string basis_of(const perf::Calibration::Power& shares) {
  if (shares.assumed) return "assumed";
  return shares.origin.measured ? "measured" : "scaled";
}

CardPower card_power(const hardware::Gpu& gpu, const perf::Calibration::Power& shares,
                     FlopRate peak) {
  CardPower card{gpu.tdp, {}, {}, shares, peak, gpu.memory_bandwidth, {}};
  const Watts floor = gpu.tdp * shares.active_floor;
  if (gpu.idle_loaded) {
    card.idle = *gpu.idle_loaded;
  } else if (gpu.idle_sleep) {
    card.idle = *gpu.idle_sleep;
    card.notes.emplace_back("idle watts are those of a card asleep: too low with a model loaded");
  } else {
    card.idle = floor;
    card.notes.emplace_back("idle watts not known: active floor taken, too high");
  }
  card.unused = gpu.idle_sleep.value_or(card.idle);
  return card;
}

Watts active_power(const CardPower& card, Seconds time, Flops flops, Bytes bytes) {
  double share = card.shares.active_floor;
  if (time > Seconds{}) {
    share += card.shares.compute * (flops / (time * card.peak)) +
             card.shares.memory * (bytes / (time * card.bandwidth));
  }
  return card.tdp * std::min(1.0, share * card.shares.origin.factor);
}

Watts active_power(const CardPower& card, const record::Usage& usage) {
  return active_power(card, seconds(usage.time), static_cast<double>(usage.flops) * unit::flop,
                      static_cast<double>(usage.bytes) * unit::byte);
}

Joules energy_of(const CardPower& card, State state, const record::Usage& usage) {
  const Watts power = state == State::idle ? card.idle : active_power(card, usage);
  return power * seconds(usage.time);
}

EnergySummary summarize_energy(const CardPower& card, const NodeWork& work,
                               const EnergyTerms& terms) {
  check(work, terms);
  EnergySummary energy;
  energy.notes = card.notes;
  for (const record::Timeline& timeline : work.timelines) {
    const Integral one = integrate(card, timeline);
    const Joules idle = one.idle + card.idle * uncovered(work.held, one.covered);
    energy.active += one.active * work.ranks;
    energy.total += (one.active + idle) * work.ranks;
  }
  const int unused = work.cards - static_cast<int>(work.timelines.size()) * work.ranks;
  energy.total += card.unused * work.held * unused;
  energy.kwh = energy.total.in(unit::kWh);
  if (work.held > Seconds{}) energy.mean_w = (energy.total / work.held).in(unit::W);
  if (work.output_tokens > 0) {
    energy.joules_per_output_token =
        energy.total.in(unit::J) / static_cast<double>(work.output_tokens);
  }
  energy.basis = basis_of(card.shares);
  add_carbon(energy, terms);
  return energy;
}

}  // namespace gpucap::account

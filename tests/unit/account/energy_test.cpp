#include "gpucap/account/energy.hpp"

#include <stdexcept>

#include "support/catch.hpp"

using namespace gpucap;
using account::active_power;
using account::CardPower;
using account::energy_of;
using account::EnergyTerms;
using account::summarize_energy;
using record::State;
using record::Timeline;
using record::Usage;

namespace {

/// The card of docs/models/power.md; its shares are made up for the example.
CardPower example_card() {
  hardware::Gpu gpu;
  gpu.tdp = 450 * unit::W;
  gpu.idle_loaded = 73 * unit::W;
  gpu.idle_sleep = 19 * unit::W;
  gpu.memory_bandwidth = 1008 * unit::GB_per_s;
  perf::Calibration::Power shares;
  shares.active_floor = 0.30;
  shares.compute = 0.40;
  shares.memory = 0.45;
  return account::card_power(gpu, shares, 165.2 * unit::TFLOP_per_s);
}

Usage used(Seconds time, std::int64_t flops, std::int64_t bytes) {
  Usage usage;
  usage.time = to_ticks(time);
  usage.flops = flops;
  usage.bytes = bytes;
  return usage;
}

account::EnergySummary idle_node(Seconds held, const EnergyTerms& terms, int ranks = 1,
                                 int cards = 1) {
  const std::vector<Timeline> timelines(1);
  return summarize_energy(example_card(), {timelines, ranks, cards, held, 1000}, terms);
}

}  // namespace

TEST_CASE("the worked example draws 304.875 W and 2439 J in 8 s") {
  // u_c = 1.3216e14 / (8 x 165.2e12) = 0.1, u_m = 6.048e12 / (8 x 1.008e12) = 0.75
  // 450 (0.30 + 0.40 x 0.1 + 0.45 x 0.75) = 304.875
  const Usage usage = used(8 * unit::s, 132'160'000'000'000, 6'048'000'000'000);
  CHECK(active_power(example_card(), usage).in(unit::W) == Approx(304.875));
  CHECK(energy_of(example_card(), State::decode, usage).in(unit::J) == Approx(2439));
}

TEST_CASE("two halves of an interval hold the joules of the whole") {
  const auto half = energy_of(example_card(), State::decode,
                              used(4 * unit::s, 66'080'000'000'000, 3'024'000'000'000));
  CHECK(2 * half.in(unit::J) == Approx(2439));
}

TEST_CASE("power never exceeds TDP") {
  // u_c = 1, u_m = 1: 0.30 + 0.40 + 0.45 = 1.15 of TDP
  const Usage full = used(1 * unit::s, 165'200'000'000'000, 1'008'000'000'000);
  CHECK(active_power(example_card(), full).in(unit::W) == Approx(450));
}

TEST_CASE("a step that computes nothing draws the floor, an idle replica its idle watts") {
  CHECK(active_power(example_card(), used(1 * unit::s, 0, 0)).in(unit::W) == Approx(135));
  CHECK(energy_of(example_card(), State::idle, used(2 * unit::s, 0, 0)).in(unit::J) == Approx(146));
  CHECK(energy_of(example_card(), State::prefill, Usage{}).in(unit::J) == 0);
}

TEST_CASE("a short last interval counts in full: 100 W for 2.5 s are 250 J") {
  CardPower card = example_card();
  card.idle = 100 * unit::W;
  const std::vector<Timeline> one(1);
  const auto energy = summarize_energy(card, {one, 1, 1, 2.5 * unit::s, 0}, {});
  CHECK(energy.total.in(unit::J) == Approx(250));
  CHECK_FALSE(energy.joules_per_output_token.has_value());
}

TEST_CASE("450 W for 3 h are 1.35 kWh and 4.86 MJ") {
  CardPower card = example_card();
  card.idle = 450 * unit::W;
  const std::vector<Timeline> one(1);
  const auto energy = summarize_energy(card, {one, 1, 1, 3 * unit::hour, 1'000'000}, {});
  CHECK(energy.kwh == Approx(1.35));
  CHECK(energy.total.in(unit::J) == Approx(4.86e6));
  CHECK(energy.mean_w == Approx(450));
  CHECK(energy.joules_per_output_token == Approx(4.86));
}

TEST_CASE("ranks multiply a card's energy once, cards that no replica uses sleep") {
  // 10 h: two ranks idle at 73 W are 1.46 kWh, not 2.92; two more cards asleep add 2 x 0.19.
  CHECK(idle_node(10 * unit::hour, {}, 2, 2).kwh == Approx(1.46));
  CHECK(idle_node(10 * unit::hour, {}, 2, 4).kwh == Approx(1.84));
}

TEST_CASE("PUE counts once: 10 kWh at 400 g with PUE 1.2 are 4.8 kg, and kWh stay those of cards") {
  CardPower card = example_card();
  card.idle = 1 * unit::kW;
  const std::vector<Timeline> one(1);
  const auto energy =
      summarize_energy(card, {one, 1, 1, 10 * unit::hour, 0}, EnergyTerms{1.2, 400.0});
  CHECK(energy.kwh == Approx(10));
  CHECK(energy.gco2e == Approx(4800));
}

TEST_CASE("without a grid factor there are no grams, without PUE a note") {
  CHECK_FALSE(idle_node(1 * unit::hour, {}).gco2e.has_value());
  const auto grid = idle_node(1 * unit::hour, EnergyTerms{std::nullopt, 400.0});
  CHECK(grid.gco2e == Approx(0.073 * 400));
  CHECK(grid.notes.back() == "gCO2e without PUE: cards only");
}

TEST_CASE("missing idle watts fall back to sleep, then to the floor, each with a note") {
  hardware::Gpu gpu;
  gpu.tdp = 450 * unit::W;
  gpu.idle_sleep = 19 * unit::W;
  perf::Calibration::Power shares;
  shares.active_floor = 0.30;
  const CardPower asleep = account::card_power(gpu, shares, 1 * unit::TFLOP_per_s);
  CHECK(asleep.idle.in(unit::W) == Approx(19));
  CHECK(asleep.notes.size() == 1);
  gpu.idle_sleep.reset();
  const CardPower unknown = account::card_power(gpu, shares, 1 * unit::TFLOP_per_s);
  CHECK(unknown.idle.in(unit::W) == Approx(135));
  CHECK(unknown.unused.in(unit::W) == Approx(135));
  CHECK(unknown.notes.size() == 1);
}

TEST_CASE("a replica's timeline and the rest of the time add up to the worked example") {
  // 8 s of decode in two halves, 1 s noted as idle, 1 s not noted: 2439 + 73 x 2 = 2585 J.
  std::vector<Timeline> one(1);
  const Usage half = used(4 * unit::s, 66'080'000'000'000, 3'024'000'000'000);
  one[0].at({0}).bucket.of(State::decode) += half;
  one[0].at({4'000'000'000}).bucket.of(State::decode) += half;
  one[0].at({8'000'000'000}).bucket.of(State::idle) += used(1 * unit::s, 0, 0);
  const auto energy =
      summarize_energy(example_card(), {one, 1, 1, 10 * unit::s, 100}, EnergyTerms{1.2, 400.0});
  CHECK(energy.total.in(unit::J) == Approx(2585));
  CHECK(energy.active.in(unit::J) == Approx(2439));
  CHECK(energy.mean_w == Approx(258.5));
  CHECK(energy.joules_per_output_token == Approx(25.85));
  CHECK(energy.gco2e == Approx(0.34467).epsilon(1e-4));
  CHECK_THROWS_AS(summarize_energy(example_card(), {one, 1, 1, 8 * unit::s, 0}, {}),
                  std::invalid_argument);
}

TEST_CASE("joules do not change when a long run doubles the bucket width") {
  // 2000 s of steady decode at 304.875 W, noted second by second, in buckets of 4 s in the end.
  std::vector<Timeline> one(1);
  const Usage second = used(1 * unit::s, 16'520'000'000'000, 756'000'000'000);
  for (std::int64_t s = 0; s < 2000; ++s)
    one[0].at({s * 1'000'000'000}).bucket.of(State::decode) += second;
  REQUIRE(one[0].buckets().size() == 500);
  const auto energy = summarize_energy(example_card(), {one, 2, 2, 2000 * unit::s, 0}, {});
  CHECK(energy.total.in(unit::J) == Approx(2 * 2000 * 304.875).epsilon(1e-12));
}

TEST_CASE("the basis says whether the shares are assumed, scaled or measured") {
  CardPower card = example_card();
  const std::vector<Timeline> one(1);
  const account::NodeWork work{one, 1, 1, 1 * unit::s, 0};
  CHECK(summarize_energy(card, work, {}).basis == "assumed");
  card.shares.assumed = false;
  CHECK(summarize_energy(card, work, {}).basis == "scaled");
  card.shares.origin.measured = true;
  CHECK(summarize_energy(card, work, {}).basis == "measured");
}

TEST_CASE("more ranks than cards, a PUE below 1 and negative grams are refused") {
  CHECK_THROWS_AS(idle_node(1 * unit::s, {}, 2, 1), std::invalid_argument);
  CHECK_THROWS_AS(idle_node(1 * unit::s, EnergyTerms{0.9, 1.0}), std::invalid_argument);
  CHECK_THROWS_AS(idle_node(1 * unit::s, EnergyTerms{1.0, -1.0}), std::invalid_argument);
}

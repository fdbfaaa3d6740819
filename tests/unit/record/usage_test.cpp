#include "gpucap/record/usage.hpp"

#include "gpucap/core/random.hpp"

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::record;

namespace {

constexpr SimTime at_second(std::int64_t s) {
  return {s * 1'000'000'000};
}

Usage usage_of(std::int64_t n) {
  Usage usage;
  usage.time = {n};
  usage.flops = Usage::Wide{n} << 80;
  usage.bytes = 3 * n;
  usage.link_bytes = 5 * n;
  usage.steps = 7 * n;
  usage.prompt_tokens = 11 * n;
  usage.output_tokens = 13 * n;
  for (std::size_t c = 0; c < cause_count; ++c) {
    usage.by_cause[c] = {n * static_cast<std::int64_t>(17 + c)};
  }
  return usage;
}

bool same(const Usage& a, const Usage& b) {
  return a.time == b.time && a.flops == b.flops && a.bytes == b.bytes &&
         a.link_bytes == b.link_bytes && a.steps == b.steps && a.prompt_tokens == b.prompt_tokens &&
         a.output_tokens == b.output_tokens && a.by_cause == b.by_cause;
}

}  // namespace

TEST_CASE("usage adds field by field, beyond 64 bits") {
  // Every field of usage_of is linear in n: 2 + 5 must be 7 in each, also n << 80.
  Usage sum = usage_of(2);
  sum += usage_of(5);
  CHECK(same(sum, usage_of(7)));
}

TEST_CASE("512 s keep one-second buckets and the next second doubles the width") {
  Timeline line;
  for (std::int64_t s = 0; s < 512; ++s)
    line.at(at_second(s)).bucket.of(State::decode) += usage_of(s);
  CHECK(line.bucket_width() == at_second(1));
  REQUIRE(line.buckets().size() == 512);

  line.at(at_second(512)).bucket.of(State::decode) += usage_of(1000);
  CHECK(line.bucket_width() == at_second(2));
  REQUIRE(line.buckets().size() == 257);
  // Bucket k now holds the seconds 2k and 2k + 1: 0 + 1 first, 510 + 511 = 1021 last, then 512.
  const auto decode = static_cast<std::size_t>(State::decode);
  CHECK(same(line.buckets()[0].by_state[decode], usage_of(1)));
  CHECK(same(line.buckets()[255].by_state[decode], usage_of(1021)));
  CHECK(same(line.buckets()[256].by_state[decode], usage_of(1000)));
}

TEST_CASE("a step that outlasts its bucket is booked where it starts") {
  Timeline line;
  Usage step;
  step.time = to_ticks(at_second(10));
  line.at({999'999'999}).bucket.of(State::prefill) += step;
  line.at({999'999'999}).bucket.add_requests(step.time, 3, 2);
  REQUIRE(line.buckets().size() == 1);
  CHECK(line.buckets()[0].by_state[static_cast<std::size_t>(State::prefill)].time == step.time);
  CHECK(line.buckets()[0].running_time == step.time * 3);
  CHECK(line.buckets()[0].waiting_time == step.time * 2);
}

TEST_CASE("random work over four weeks is conserved in at most 512 buckets") {
  RandomStream random(7, "timeline");
  Timeline line;
  Usage by_state[state_count];
  Ticks kv, running, waiting;
  std::int64_t ns = 0;
  while (ns < at_second(28 * 86400).ns) {
    // Gaps from nothing to about three hours, so that single and many doublings occur.
    ns += random.uniform_int(0, std::int64_t{1} << random.uniform_int(0, 43));
    const auto state = static_cast<std::size_t>(random.uniform_int(0, 2));
    const Usage usage = usage_of(random.uniform_int(0, 1'000'000));
    const std::int64_t level = random.uniform_int(0, 500'000);
    line.at({ns}).bucket.of(static_cast<State>(state)) += usage;
    line.at({ns}).bucket.kv_tokens_time += usage.time * level;
    line.at({ns}).bucket.add_requests(usage.time, level / 100, level / 7);
    by_state[state] += usage;
    kv += usage.time * level;
    running += usage.time * (level / 100);
    waiting += usage.time * (level / 7);
  }
  CHECK(line.buckets().size() <= Timeline::default_buckets);
  CHECK(line.buckets().size() > Timeline::default_buckets / 4);
  for (std::size_t s = 0; s < state_count; ++s) {
    CHECK(same(line.total(static_cast<State>(s)), by_state[s]));
  }
  for (const Timeline::Bucket& bucket : line.buckets()) {
    kv.count -= bucket.kv_tokens_time.count;
    running.count -= bucket.running_time.count;
    waiting.count -= bucket.waiting_time.count;
  }
  CHECK(kv == Ticks{});
  CHECK(running == Ticks{});
  CHECK(waiting == Ticks{});
}

TEST_CASE("the last instant that the clock can show still has a bucket") {
  Timeline line;
  line.at({0}).bucket.of(State::idle) += usage_of(1);
  line.at(SimTime::never()).bucket.of(State::idle) += usage_of(2);
  CHECK(line.buckets().size() <= Timeline::default_buckets);
  CHECK(same(line.total(State::idle), usage_of(3)));
}

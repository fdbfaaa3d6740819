// Jumps against single steps: equal bit for bit, in whatever engine and under whatever load.
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "support/catch.hpp"
#include "support/random_world.hpp"

using namespace gpucap;
using serving::Stepping;

namespace {

/// Everything that a simulation tells, in a form that can be compared.
struct Told : record::Sink {
  std::vector<std::vector<std::int64_t>> requests;
  std::vector<std::vector<std::int64_t>> arrivals;
  std::map<Ticks::Wide, std::int64_t> gaps;  ///< how often each occurs
  std::int64_t jumped = 0;

  void arrived(std::int64_t id, SimTime time, std::int64_t queue) override {
    arrivals.push_back({id, time.ns, queue});
  }
  void refused(std::int64_t id, SimTime time) override { arrivals.push_back({id, time.ns}); }
  void finished(const record::RequestRow& r) override {
    requests.push_back({r.id, r.replica, r.arrival.ns, r.scheduled.ns, r.first_token.ns,
                        r.finished.ns, r.prompt_tokens, r.output_tokens, r.cached_prompt_tokens,
                        r.preemptions});
  }
  void token_gaps(const record::TokenGaps& run) override {
    if (run.steps > 1) jumped += run.steps;
    for (std::int64_t i = 0; i < run.steps; ++i) {
      gaps[(run.first + run.growth * i).count] += run.count;
    }
  }
};

bool same(const record::Usage& a, const record::Usage& b) {
  return a.time == b.time && a.flops == b.flops && a.bytes == b.bytes &&
         a.link_bytes == b.link_bytes && a.steps == b.steps && a.prompt_tokens == b.prompt_tokens &&
         a.output_tokens == b.output_tokens && a.by_cause == b.by_cause;
}

bool same(const record::Timeline& a, const record::Timeline& b) {
  return a.bucket_width() == b.bucket_width() &&
         std::ranges::equal(a.buckets(), b.buckets(), [](const auto& x, const auto& y) {
           return x.kv_tokens_time == y.kv_tokens_time && x.running_time == y.running_time &&
                  x.waiting_time == y.waiting_time &&
                  std::ranges::equal(x.by_state, y.by_state,
                                     [](const auto& u, const auto& v) { return same(u, v); });
         });
}

/// Which rules a world exercised, for the table that the test prints.
void count_features(const toy::World& world, const Told& told, std::map<std::string, int>& seen) {
  const auto& rules = world.plan.rules;
  const auto& host = world.plan.question.engine.profile.host;
  const auto any = [&](std::size_t field) {
    return std::ranges::any_of(told.requests, [&](const auto& r) { return r[field] > 0; });
  };
  const std::pair<const char*, bool> features[] = {
      {"jumps", told.jumped > 0},
      {"asynchronous scheduling", rules.async_scheduling},
      {"chunked prefill", rules.chunked_prefill},
      {"prompts first", rules.batching == perf::EngineProfile::Batching::prefill_first},
      {"gangs", rules.batching == perf::EngineProfile::Batching::gang},
      {"pipeline stages", world.plan.question.layout.pipeline_parallel > 1},
      {"encoders", !rules.decodes},
      {"sliding window", rules.sliding_window.has_value()},
      {"max_num_seqs below 4", rules.max_num_seqs < 4},
      {"prefix caching", rules.prefix_caching},
      {"prefix hits", any(8)},
      {"preemption", any(9)},
      {"preemption and prefix caching", any(9) && rules.prefix_caching},
      {"refused requests", told.requests.size() < world.requests.size()},
      {"host floor", host.floor_per_layer > Seconds{}},
      {"front end", host.front_end > Seconds{}},
      {"closed loop", world.clients.has_value()},
      {"several replicas", world.plan.replicas > 1},
      {"least loaded", world.router == serving::Router::least_loaded},
  };
  for (const auto& [name, has] : features) seen[name] += has ? 1 : 0;
}

std::int64_t cases() {
  const char* wanted = std::getenv("GPUCAP_DIFFERENTIAL_CASES");
  return wanted == nullptr ? 1500 : std::atoll(wanted);
}

}  // namespace

TEST_CASE("jumps and single steps tell the same of random engines and loads, bit for bit") {
  std::map<std::string, int> seen;
  for (std::int64_t seed = 0; seed < cases(); ++seed) {
    INFO("seed " << seed);
    const toy::World world = toy::random_world(static_cast<std::uint64_t>(seed));
    Told jumps, steps;
    const auto jumped = world.run(jumps, Stepping::jumps);
    const auto stepped = world.run(steps, Stepping::reference);
    REQUIRE(jumps.arrivals == steps.arrivals);
    REQUIRE(jumps.requests == steps.requests);
    REQUIRE((jumps.gaps == steps.gaps));
    REQUIRE(jumped.end == stepped.end);
    REQUIRE(jumped.blocks_left == 0);
    REQUIRE(stepped.blocks_left == 0);
    REQUIRE(std::ranges::equal(jumped.timelines, stepped.timelines,
                               [](const auto& a, const auto& b) { return same(a, b); }));
    REQUIRE(steps.jumped == 0);
    count_features(world, jumps, seen);
  }
  std::cout << cases() << " worlds, of which with\n";
  for (const auto& [name, count] : seen) std::cout << "  " << name << ": " << count << '\n';
  // A feature that no world has is not tested.
  for (const auto& [name, count] : seen) CHECK(count > 0);
}

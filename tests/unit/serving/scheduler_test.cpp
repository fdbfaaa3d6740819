#include "gpucap/serving/scheduler.hpp"

#include <deque>

#include "support/catch.hpp"
#include "support/toy.hpp"

using namespace gpucap;
using serving::Scheduler;
using serving::Sequence;
using serving::Step;

namespace {

struct World {
  explicit World(plan::SchedulerRules rules = toy::rules(), std::int64_t id_tokens = 0)
      : scheduler(rules, id_tokens, serving::Stepping::reference) {}
  Sequence& add(std::int64_t prompt, std::int64_t output, std::vector<std::uint64_t> blocks = {}) {
    Sequence& sequence = sequences.emplace_back();
    sequence.request = toy::request(std::ssize(sequences), {0}, prompt, output);
    sequence.request.prompt_blocks = std::move(blocks);
    scheduler.enqueue(sequence);
    return sequence;
  }
  /// Schedules, and finishes what has all its tokens.
  Step step() {
    Step step = scheduler.schedule();
    std::vector<Sequence*> finished;
    scheduler.settle({}, finished);
    for (Sequence* sequence : finished) scheduler.retire(*sequence);
    return step;
  }
  std::deque<Sequence> sequences;
  Scheduler scheduler;
};

std::vector<std::int64_t> token_counts(const Step& step) {
  std::vector<std::int64_t> counts;
  for (const auto& share : step.shares) counts.push_back(share.tokens);
  return counts;
}

}  // namespace

TEST_CASE("a prompt is cut by the budget only, and the rest goes before anyone new") {
  World world;  // 64 tokens a step
  world.add(100, 2);
  world.add(40, 2);
  CHECK(token_counts(world.step()) == std::vector<std::int64_t>{64});
  CHECK(token_counts(world.step()) == std::vector<std::int64_t>{36, 28});
  // The first decodes, the second gets its remaining 12 tokens.
  CHECK(token_counts(world.step()) == std::vector<std::int64_t>{1, 12});
}

TEST_CASE("a request of k output tokens takes one prompt step and k - 1 decode steps") {
  World world;
  world.add(10, 4);
  int steps = 0;
  while (!world.step().shares.empty()) ++steps;
  CHECK(steps == 4);
  CHECK(world.scheduler.running() == 0);
  CHECK(world.scheduler.blocks_in_use() == 0);
}

TEST_CASE("when blocks run out the last admitted is thrown out and comes back first") {
  auto rules = toy::rules();
  rules.kv_blocks = 4;  // 64 tokens
  rules.prefix_caching = false;
  World world(rules);
  Sequence& first = world.add(31, 30);
  Sequence& second = world.add(31, 30);
  world.step();                    // both prompts: 2 blocks each, all 4 taken
  world.step();                    // token 32 of each still fits
  const Step step = world.step();  // token 33 of the first needs a block: the second goes
  CHECK(token_counts(step) == std::vector<std::int64_t>{1});
  CHECK(step.head_blocked == perf::Cause::kv_cache);
  CHECK(first.preemptions == 0);
  CHECK(second.preemptions == 1);
  CHECK(second.computed == 0);
  CHECK(world.scheduler.waiting() == 1);
}

TEST_CASE("a quickly resumed victim finds its own blocks and recomputes only the rest") {
  auto rules = toy::rules();
  rules.kv_blocks = 4;
  World world(rules);
  world.add(31, 3);
  Sequence& second = world.add(31, 30);
  world.step();
  world.step();
  world.step();  // the first takes its third block and finishes; the second was thrown out
  REQUIRE(second.preemptions == 1);
  const Step step = world.step();
  // 31 prompt + 2 generated tokens; the first full block survived, the second was overwritten.
  CHECK(token_counts(step) == std::vector<std::int64_t>{33 - 16});
}

TEST_CASE("an identical prompt hits all its full blocks but computes its last token") {
  World world(toy::rules(), 16);
  world.add(32, 20, {1, 2});
  Sequence& twin = world.add(32, 20, {1, 2});
  const Step step = world.step();
  // The first computes 32 tokens; the second, in the same step, hits block 1 and computes 16.
  CHECK(token_counts(step) == std::vector<std::int64_t>{32, 16});
  CHECK(twin.cached_prompt_tokens == 16);
}

TEST_CASE("ids of long blocks name each short block inside them") {
  World world(toy::rules(), 64);
  world.add(64, 20, {5});
  Sequence& other = world.add(64, 20, {5});
  world.step();
  world.step();
  CHECK(other.cached_prompt_tokens == 48);
}

TEST_CASE("with a reserved prompt a long request waits, without it its first chunk is let in") {
  auto rules = toy::rules();
  rules.kv_blocks = 10;  // 160 tokens
  for (const bool reserve : {true, false}) {
    rules.reserve_full_prompt = reserve;
    World world(rules);
    world.add(60, 50);
    world.add(120, 2);  // 8 blocks; 6 are free after the first
    world.step();
    const Step step = world.step();
    CHECK((step.shares.size() == 1) == reserve);
    CHECK((step.head_blocked == perf::Cause::kv_cache) == reserve);
  }
}

TEST_CASE("nobody overtakes the head of the queue") {
  auto rules = toy::rules();
  rules.max_num_seqs = 1;
  World world(rules);
  world.add(10, 5);
  world.add(10, 5);
  world.step();
  const Step step = world.step();
  CHECK(step.shares.size() == 1);
  CHECK(step.head_blocked == perf::Cause::queue);
}

TEST_CASE("prompts first: a step is all prompt or all decode") {
  auto rules = toy::rules();
  rules.batching = perf::EngineProfile::Batching::prefill_first;
  rules.chunked_prefill = false;
  World world(rules);
  world.add(40, 3);
  world.add(40, 3);
  CHECK(token_counts(world.step()) == std::vector<std::int64_t>{40});
  CHECK(token_counts(world.step()) == std::vector<std::int64_t>{40});
  CHECK(token_counts(world.step()) == std::vector<std::int64_t>{1, 1});
}

TEST_CASE("a gang lets nobody in before the last one has finished") {
  auto rules = toy::rules();
  rules.batching = perf::EngineProfile::Batching::gang;
  World world(rules);
  world.add(8, 2);
  world.add(8, 4);
  world.step();
  world.add(8, 1);
  CHECK(token_counts(world.step()) == std::vector<std::int64_t>{1, 1});
  CHECK(token_counts(world.step()) == std::vector<std::int64_t>{1});
  CHECK(token_counts(world.step()) == std::vector<std::int64_t>{1});
  CHECK(token_counts(world.step()) == std::vector<std::int64_t>{8});
}

TEST_CASE("a request that can never run is told apart") {
  auto rules = toy::rules();
  rules.max_model_len = 100;
  rules.kv_blocks = 4;
  Scheduler scheduler(rules, 0, serving::Stepping::reference);
  CHECK(scheduler.can_serve(toy::request(0, {0}, 60, 4)));
  CHECK_FALSE(scheduler.can_serve(toy::request(0, {0}, 60, 5)));  // 65 tokens, 4 blocks hold 64
  CHECK_FALSE(scheduler.can_serve(toy::request(0, {0}, 99, 2)));
}

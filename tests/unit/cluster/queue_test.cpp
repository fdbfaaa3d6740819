#include <stdexcept>

#include "support/catch.hpp"
#include "support/job_clusters.hpp"

using namespace gpucap;
using namespace gpucap::cluster;
using test::job;
using test::plan_of;
using test::run;
using test::seconds;

TEST_CASE("first come, first served: a job that does not fit holds up those behind it") {
  // 4 GPUs: "a" has 3 until 100; "b" wants 2 and waits; "c" would fit on the one left, but waits.
  const auto result =
      run(plan_of(1, 4), {job("a", 0, 3, 100), job("b", 1, 2, 10), job("c", 2, 1, 10)});
  CHECK(result.stories.start("b") == 100);
  CHECK(result.stories.start("c") == 100);
  CHECK(result.record.makespan() == seconds(110));
}

TEST_CASE("EASY: a job that ends by the head's start overtakes it on the head's own GPUs") {
  // "b" needs all 4 and will start at 100. "c" ends at 100: now. "d" ends at 101: after "b".
  const auto result = run(plan_of(1, 4, Backfill::easy), {job("a", 0, 3, 100), job("b", 1, 4, 50),
                                                          job("d", 2, 1, 99), job("c", 3, 1, 97)});
  CHECK(result.stories.start("c") == 3);
  CHECK(result.stories.start("b") == 100);
  CHECK(result.stories.start("d") == 150);
}

TEST_CASE("EASY: a long job overtakes on GPUs that are left over beside the head") {
  // At 100 all 5 but those of backfilled jobs are free and "b" takes 4: one is extra, so "c" may
  // run for ever. A second long job "d" would have to take one of "b": it waits for an end.
  const auto result =
      run(plan_of(1, 5, Backfill::easy),
          {job("a", 0, 3, 100), job("b", 1, 4, 50), job("c", 2, 1, 1000), job("d", 3, 1, 1000)});
  CHECK(result.stories.start("c") == 2);
  CHECK(result.stories.start("b") == 100);
  CHECK(result.stories.start("d") == 150);
}

TEST_CASE("EASY: extra GPUs on another node do not help a head that needs one whole node") {
  // Two nodes of 2, each with one GPU in use: until 100 on the first, until 200 on the second. The
  // head wants 2 on one node, so it gets the first one at 100. By count 3 GPUs will be free then
  // and one of the two free now is extra; but a long job may take only the one of the second node.
  auto plan = plan_of(2, 2, Backfill::easy);
  plan.policy.packing = Packing::spread;
  const auto result = run(plan, {job("a", 0, 1, 100), job("b", 0, 1, 200), job("head", 1, 2, 50),
                                 job("long", 2, 1, 1000), job("late", 3, 1, 1000)});
  CHECK(result.stories.start("long") == 2);
  CHECK(result.stories.start("head") == 100);
  CHECK(result.stories.start("late") == 150);
}

TEST_CASE("EASY: two GPUs free at once are not the head's when they stand on two nodes") {
  // By count 2 GPUs are free at 100 and "x", which ends at 350, would delay "head". But one is on
  // each node, the first node is whole only at 500, and "x" delays nobody.
  auto plan = plan_of(2, 2, Backfill::easy);
  plan.policy.packing = Packing::spread;
  const auto result = run(plan, {job("a", 0, 1, 100), job("b", 0, 1, 500), job("c", 0, 1, 500),
                                 job("d", 0, 1, 50), job("head", 1, 2, 10), job("x", 50, 1, 300)});
  CHECK(result.stories.start("x") == 50);
  CHECK(result.stories.start("head") == 500);
}

TEST_CASE("EASY: when a job ends before its limit the head starts at once") {
  Job early = job("a", 0, 3, 40);
  early.limit = seconds(100);
  const auto result = run(plan_of(1, 4, Backfill::easy),
                          {early, job("b", 1, 4, 50), job("c", 2, 1, 30), job("d", 50, 1, 10)});
  CHECK(result.stories.start("c") == 2);
  CHECK(result.stories.start("b") == 40);
}

TEST_CASE("EASY: a job that outruns its limit delays the head, or is cut there") {
  Job late = job("c", 2, 1, 300);
  late.limit = seconds(90);
  const std::vector<Job> jobs{job("a", 0, 3, 100), job("b", 1, 4, 50), late};
  auto plan = plan_of(1, 4, Backfill::easy);
  CHECK(run(plan, jobs).stories.start("b") == 302);
  plan.policy.overrun = Overrun::cut;
  const auto cut = run(plan, jobs);
  CHECK(cut.stories.of("c").end == 92);
  CHECK(cut.stories.start("b") == 100);
  CHECK(cut.record.cut == 1);
}

TEST_CASE(
    "shortest first goes by the estimate, priority by the number, both by submit among equals") {
  std::vector<Job> jobs{job("a", 0, 1, 100), job("b", 1, 1, 30), job("c", 2, 1, 20),
                        job("d", 3, 1, 20)};
  jobs[1].priority = 5;
  jobs[3].priority = 5;
  auto plan = plan_of(1, 1);
  plan.policy.order = Order::shortest;
  CHECK(run(plan, jobs).stories.order == std::vector<std::string>{"a", "c", "d", "b"});
  plan.policy.order = Order::priority;
  CHECK(run(plan, jobs).stories.order == std::vector<std::string>{"a", "b", "d", "c"});
}

TEST_CASE("a job runs on the group that is fastest for it and free, as long as its speed says") {
  // 100 s recorded take 50 s on "b" at twice the speed; the second job gets "a" at half of it.
  ClusterPlan plan;
  plan.groups = {{"a", 1, 1}, {"b", 1, 1}};
  const auto kind = test::plain_kind({0.5, 2});
  const auto result = run(plan, {job("one", 0, 1, 100, kind), job("two", 0, 1, 100, kind)});
  CHECK(result.stories.of("one").group == 1);
  CHECK(result.stories.of("one").end == 50);
  CHECK(result.stories.of("two").group == 0);
  CHECK(result.stories.of("two").end == 200);
}

TEST_CASE("a waiting job holds up only those that could use its groups") {
  ClusterPlan plan;
  plan.groups = {{"a", 1, 2}, {"b", 1, 2}};
  const auto only_a = test::plain_kind({1, 0}), only_b = test::plain_kind({0, 1}),
             both = test::plain_kind({1, 1});
  for (const auto backfill : {Backfill::none, Backfill::easy}) {
    plan.policy.backfill = backfill;
    const auto result = run(plan, {job("a1", 0, 1, 100, only_a), job("a2", 1, 2, 10, only_a),
                                   job("b1", 2, 1, 500, only_b), job("any", 3, 1, 500, both)});
    CHECK(result.stories.start("a2") == 100);
    CHECK(result.stories.start("b1") == 2);
    CHECK(result.stories.start("any") == 3);
    CHECK(result.stories.of("any").group == 1);
  }
}

TEST_CASE("shares of a GPU run side by side and leave when they end") {
  Job half = job("h1", 0, 1, 100), third = job("h2", 0, 1, 50), more = job("h3", 0, 1, 10);
  half.gpu_thousandths = 460;
  third.gpu_thousandths = 540;
  more.gpu_thousandths = 500;
  const auto result = run(plan_of(1, 1), {half, third, more});
  CHECK(result.stories.start("h2") == 0);
  CHECK(result.stories.start("h3") == 50);
  CHECK(result.record.use().held().gpu_seconds() == Approx(46 + 27 + 5));
}

TEST_CASE("a job that no group can hold is refused, with the reason") {
  const auto result = run(plan_of(2, 4), {job("big", 0, 9, 10), job("fits", 0, 8, 10),
                                          job("none", 0, 1, 10, test::plain_kind({0}))});
  CHECK(result.stories.refusals == std::vector<Refusal>{Refusal::too_large, Refusal::no_group});
  CHECK(result.record.finished == 1);
  CHECK(result.record.all_refused() == 2);
}

TEST_CASE("a job of no time starts, ends and makes room at one instant") {
  const auto result = run(plan_of(1, 1), {job("a", 5, 1, 0), job("b", 5, 1, 10)});
  CHECK(result.stories.start("b") == 5);
  CHECK(result.record.end == seconds(15));
}

TEST_CASE("offered load and use are GPU time asked and held over that of all GPUs") {
  // 3 x 40 + 1 x 40 = 160 GPU s asked within 20 s of submits: 8 GPUs of 4. Held within 60 s.
  const auto result = run(plan_of(1, 4), {job("a", 0, 3, 40), job("b", 20, 1, 40)});
  CHECK(*result.record.asked_gpus() == Approx(8));
  CHECK(*result.record.offered_load() == Approx(2));
  CHECK(*result.record.allocated_share() == Approx(160.0 / (4 * 60)));
  CHECK(result.record.groups[0].idle.gpu_seconds() == Approx(80));
}

TEST_CASE("a run that is stopped counts what runs and what waits, and their time") {
  auto plan = plan_of(1, 1);
  plan.until = seconds(30);
  const auto result = run(plan, {job("a", 0, 1, 100), job("b", 1, 1, 10), job("c", 50, 1, 10)});
  CHECK(result.record.running == 1);
  CHECK(result.record.waiting == 1);
  CHECK(result.record.submitted == 2);
  CHECK(result.record.end == seconds(30));
  CHECK(result.record.use().useful.gpu_seconds() == Approx(30));
}

TEST_CASE("jobs out of order or without GPUs are a broken input") {
  CHECK_THROWS_AS(run(plan_of(1, 1), {job("a", 5, 1, 1), job("b", 4, 1, 1)}),
                  std::invalid_argument);
  CHECK_THROWS_AS(run(plan_of(1, 1), {job("a", 5, 0, 1)}), std::invalid_argument);
  CHECK_THROWS_AS(run(plan_of(1, 1), {job("a", 5, 1, 1, test::plain_kind({1, 1}))}),
                  std::invalid_argument);
}

TEST_CASE("no jobs: an empty record") {
  CHECK(run(plan_of(1, 1), {}).record.submitted == 0);
}

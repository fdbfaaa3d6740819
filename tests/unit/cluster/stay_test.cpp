#include "gpucap/cluster/stay.hpp"

#include "support/catch.hpp"
#include "support/job_clusters.hpp"

using namespace gpucap;
using namespace gpucap::cluster;
using test::seconds;

namespace {

/// 10 s restart, then 250 s of work at half the recorded speed with a write of 5 s every 100 s.
StayTerms terms() {
  StayTerms some;
  some.restart = seconds(10);
  some.rate = 0.5;
  some.interval = seconds(100);
  some.write = seconds(5);
  some.work = seconds(125);
  return some;
}

SimTime sum(const StaySpent& spent) {
  return {spent.useful.ns + spent.stalled.ns + spent.lost.ns + spent.saving.ns +
          spent.restarting.ns};
}

}  // namespace

TEST_CASE("a stay takes its restart, its work and a write after every interval and at the end") {
  // 10 + 250 + 3 x 5: after 100 s, 200 s and 250 s of work.
  CHECK(length(terms()) == seconds(275));
  const StaySpent spent = spent_whole(terms());
  CHECK(spent.useful == seconds(250));
  CHECK(spent.saving == seconds(15));
  CHECK(spent.restarting == seconds(10));
  CHECK(spent.done == seconds(125));
}

TEST_CASE("a failure loses what was worked since the last finished write") {
  // At 10 + 105 + 40 the first 100 s are saved, 40 s are not.
  const StaySpent spent = spent_until_failure(terms(), seconds(155));
  CHECK(spent.useful == seconds(100));
  CHECK(spent.saving == seconds(5));
  CHECK(spent.lost == seconds(40));
  CHECK(spent.done == seconds(50));  // at half the recorded speed
}

TEST_CASE("a failure in the middle of a write loses the work that was being written") {
  const StaySpent spent = spent_until_failure(terms(), seconds(10 + 103));
  CHECK(spent.useful == SimTime{});
  CHECK(spent.lost == seconds(100));
  CHECK(spent.saving == seconds(3));
  CHECK(spent.done == SimTime{});
}

TEST_CASE("a failure in the last write loses the last piece, which is shorter than an interval") {
  const StaySpent spent = spent_until_failure(terms(), seconds(10 + 210 + 50 + 2));
  CHECK(spent.useful == seconds(200));
  CHECK(spent.lost == seconds(50));
  CHECK(spent.saving == seconds(12));
}

TEST_CASE("a stop with notice saves everything up to its own write") {
  // 155 s of which the last 5 are the write: 10 + 105 + 35 before it.
  const StaySpent spent = spent_until_saved(terms(), seconds(155), seconds(5));
  CHECK(spent.useful == seconds(135));
  CHECK(spent.lost == SimTime{});
  CHECK(spent.saving == seconds(10));
}

TEST_CASE("without checkpoints a failure loses all work, and nothing is written") {
  StayTerms bare = terms();
  bare.interval.reset();
  CHECK(length(bare) == seconds(260));
  CHECK(spent_until_failure(bare, seconds(200)).lost == seconds(190));
}

TEST_CASE("a stalled share is part of the working time and makes no progress") {
  // A stall of 20 % leaves 0.8 of the speed: 100 s of work take 125 s, 25 of them stalled.
  StayTerms stalled;
  stalled.rate = 0.8;
  stalled.stall_share = 0.2;
  stalled.work = seconds(100);
  const StaySpent spent = spent_whole(stalled);
  CHECK(spent.stalled == seconds(25));
  CHECK(spent.useful == seconds(100));
}

TEST_CASE("whenever a stay is stopped, its parts add up to the time that it took") {
  StayTerms odd = terms();
  odd.rate = 0.37;
  odd.stall_share = 0.123;
  odd.save_first = seconds(3);
  for (std::int64_t at = 0; at < length(odd).ns; at += 1'234'567'891) {
    CHECK(sum(spent_until_failure(odd, {at})) == SimTime{at});
    CHECK(sum(spent_until_saved(odd, {at}, seconds(4))) == SimTime{at});
  }
  CHECK(sum(spent_whole(odd)) == length(odd));
}

TEST_CASE("a job that would run longer than the clock counts is refused with a word") {
  StayTerms slow = terms();
  slow.rate = 1e-9;
  CHECK_THROWS_AS(length(slow), std::out_of_range);
}

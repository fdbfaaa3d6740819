#include "gpucap/cluster/generate.hpp"

#include "gpucap/cluster/trace_jobs.hpp"

#include <cmath>
#include <stdexcept>

#include "support/catch.hpp"
#include "support/job_clusters.hpp"

using namespace gpucap;
using namespace gpucap::cluster;

namespace {

JobMix mix() {
  JobMix some;
  some.seed = 3;
  some.jobs = 20000;
  some.mean_gap = 60 * unit::s;
  some.median_work = 600 * unit::s;
  some.sigma = 1;
  some.sizes = {{1000, 3}, {8000, 1}};
  some.kind = test::plain_kind();
  return some;
}

}  // namespace

TEST_CASE("generated jobs have the rate, the mean run time and the sizes that were asked for") {
  // Lognormal: mean = 600 e^0.5 = 989.2, deviation 1.31 of it: 0.9 % for 20,000.
  GeneratedJobs stream(mix());
  double work = 0, large = 0, last = 0;
  while (const auto one = stream.next()) {
    work += as_seconds(one->work);
    large += one->gpu_thousandths == 8000;
    last = as_seconds(one->submit);
    REQUIRE(one->estimate() == one->work);
  }
  CHECK(work / 20000 == Approx(600 * std::exp(0.5)).epsilon(0.03));
  CHECK(large / 20000 == Approx(0.25).epsilon(0.05));
  CHECK(last / 20000 == Approx(60).epsilon(0.03));
}

TEST_CASE("other sizes do not move submits and run times") {
  JobMix other = mix();
  other.sizes = {{500, 1}};
  GeneratedJobs one(mix()), two(other);
  for (int i = 0; i < 100; ++i) {
    const auto a = one.next(), b = two.next();
    REQUIRE(a->submit == b->submit);
    REQUIRE(a->work == b->work);
  }
}

TEST_CASE("a mix without sizes is refused") {
  JobMix bare = mix();
  bare.sizes.clear();
  CHECK_THROWS_AS(GeneratedJobs(bare), std::invalid_argument);
}

TEST_CASE("recorded jobs keep their numbers and share kinds that are equal") {
  std::vector<workload::Job> recorded(3);
  for (auto& one : recorded) {
    one.id = "x";
    one.gpu_thousandths = 2000;
    one.duration = test::seconds(60);
  }
  recorded[1].model = "bert";
  recorded[2].time_limit = test::seconds(90);
  TraceJobs jobs(recorded, [](const workload::Job& one) {
    return *test::plain_kind({one.model == "bert" ? 0.5 : 1});
  });
  const auto first = jobs.next(), second = jobs.next(), third = jobs.next();
  CHECK(first->kind == third->kind);
  CHECK(first->kind != second->kind);
  CHECK(third->estimate() == test::seconds(90));
  CHECK(first->gpu_thousandths == 2000);
  CHECK_FALSE(jobs.next());
}

// Jobs of one GPU on a cluster are customers of a queue with a known mean wait.
#include "gpucap/cluster/generate.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "support/job_clusters.hpp"

using namespace gpucap;
using namespace gpucap::cluster;

namespace {

/// Sums waits as they are told.
class Waits final : public Sink {
 public:
  void ended(const JobRow& row) override {
    sum_ += as_seconds(*row.queueing_delay());
    ++jobs_;
  }
  [[nodiscard]] double mean() const { return sum_ / jobs_; }

 private:
  double sum_ = 0, jobs_ = 0;
};

/// Poisson submits; exponential run times of mean 1 s, or such of another law from the generator.
class ExponentialJobs final : public JobStream {
 public:
  ExponentialJobs(double rate, std::int64_t jobs) : rate_(rate), left_(jobs) {}
  std::optional<Job> next() override {
    if (left_-- == 0) return std::nullopt;
    time_ += gaps_.exponential(1 / rate_);
    Job one = test::job("x", 0, 1, 0, kind_);
    one.submit = to_sim_time(time_ * unit::s);
    one.work = to_sim_time(work_.exponential(1) * unit::s);
    return one;
  }

 private:
  double rate_, time_ = 0;
  std::int64_t left_;
  std::shared_ptr<const JobKind> kind_ = test::plain_kind();
  RandomStream gaps_{7, "gaps"}, work_{7, "work"};
};

double mean_wait(const ClusterPlan& plan, JobStream& jobs) {
  Waits waits;
  simulate(plan, jobs, {&waits});
  return waits.mean();
}

/// Erlang C over c (1 - load), in service times.
double erlang_wait(int servers, double load) {
  double term = 1, sum = 1;
  for (int k = 1; k < servers; ++k) sum += term *= servers * load / k;
  term *= servers * load / servers / (1 - load);
  return term / (sum + term) / (servers * (1 - load));
}

}  // namespace

TEST_CASE("M/M/1: one GPU at 80 % load keeps jobs waiting four run times") {
  // rho / (1 - rho) = 4; the sample mean of 4e5 has a standard error of about 2 %.
  ExponentialJobs jobs(0.8, 400'000);
  CHECK(mean_wait(test::plan_of(1, 1), jobs) == Approx(4).epsilon(0.06));
}

TEST_CASE("M/M/c: GPUs of two nodes are c servers, by Erlang's formula") {
  // c = 8 at 90 %: C = 0.7015, wait = C / (8 x 0.1) = 0.8769 run times.
  REQUIRE(erlang_wait(8, 0.9) == Approx(0.8769).epsilon(1e-3));
  for (const auto backfill : {Backfill::none, Backfill::easy}) {
    ExponentialJobs jobs(7.2, 600'000);
    CHECK(mean_wait(test::plan_of(2, 4, backfill), jobs) ==
          Approx(erlang_wait(8, 0.9)).epsilon(0.06));
  }
}

TEST_CASE("M/G/1: lognormal run times wait by their second moment (Pollaczek-Khinchine)") {
  // sigma 0.8: E[S^2]/E[S]^2 = e^0.64 = 1.896; at 70 %: 0.7 / (2 x 0.3) x 1.896 = 2.212 run times.
  JobMix mix;
  mix.seed = 2;
  mix.jobs = 400'000;
  mix.sigma = 0.8;
  mix.median_work = 1 * unit::s;
  mix.mean_gap = std::exp(0.32) / 0.7 * unit::s;
  mix.sizes = {{1000}};
  mix.kind = test::plain_kind();
  GeneratedJobs jobs(mix);
  const double expected = 0.7 / 0.6 * std::exp(0.64) * std::exp(0.32);
  CHECK(mean_wait(test::plan_of(1, 1), jobs) == Approx(expected).epsilon(0.05));
}

TEST_CASE("M/M/c with halves: a GPU is two servers to jobs that want half of it") {
  class Halves final : public JobStream {
   public:
    std::optional<Job> next() override {
      auto one = jobs_.next();
      if (one) one->gpu_thousandths = 500;
      return one;
    }

   private:
    ExponentialJobs jobs_{7.2, 600'000};
  } jobs;
  CHECK(mean_wait(test::plan_of(1, 4), jobs) == Approx(erlang_wait(8, 0.9)).epsilon(0.06));
}

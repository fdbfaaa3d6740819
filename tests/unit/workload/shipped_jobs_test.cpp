#include "gpucap/core/random.hpp"
#include "gpucap/workload/job_trace.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::workload;

namespace {

const std::filesystem::path shipped =
    std::filesystem::path(GPUCAP_SOURCE_DIR) / "scenarios/traces/philly-like-jobs.csv";

struct Share {
  const char* model;
  std::int64_t until;  ///< of 876, as often as the published jobs name it
  std::int64_t batch;
  double one, two, four;  ///< steps per second on so many A100 (ElasticFlow's throughput tables)
};
constexpr Share shares[] = {
    {"resnet50", 214, 128, 3.655, 6.620, 11.224},  {"vgg16", 400, 128, 2.625, 4.874, 8.721},
    {"gpt2", 526, 128, 7.309, 11.946, 16.666},     {"bert", 648, 64, 6.031, 8.643, 10.356},
    {"deepspeech2", 766, 64, 1.600, 2.961, 5.253}, {"inception3", 876, 128, 2.562, 4.659, 7.804}};

double steps_per_s(const Share& share, std::int64_t thousandths) {
  return thousandths == 1000 ? share.one : thousandths == 2000 ? share.two : share.four;
}

std::int64_t whole_seconds(double seconds) {
  return static_cast<std::int64_t>(std::llround(seconds));
}

/// How philly-like-jobs.csv was made; scenarios/traces/README.md tells the same in words.
std::vector<Job> philly_like_jobs() {
  constexpr std::uint64_t seed = 103959;
  RandomStream gaps(seed, "gaps"), sizes(seed, "sizes"), work(seed, "work"), models(seed, "models");
  std::vector<Job> jobs;
  std::int64_t submit = 0;
  for (int i = 0; i < 876; ++i) {
    Job job;
    job.id = std::to_string(i);
    job.submit = SimTime{submit * 1'000'000'000};
    submit += whole_seconds(gaps.exponential(9030));
    const std::int64_t size = sizes.uniform_int(1, 876);
    job.gpu_thousandths = size <= 513 ? 1000 : size <= 546 ? 2000 : 4000;
    const double median = job.gpu_thousandths == 1000 ? 17000 : 75000;
    job.duration =
        SimTime{whole_seconds(60 + median * std::exp(0.75 * work.normal())) * 1'000'000'000};
    const std::int64_t chosen = models.uniform_int(1, 876);
    for (const Share& share : shares) {
      if (chosen > share.until) continue;
      job.model = share.model;
      job.batch_size = share.batch;
      job.iterations = std::max<std::int64_t>(
          1, whole_seconds(as_seconds(job.duration) * steps_per_s(share, job.gpu_thousandths)));
      break;
    }
    jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace

TEST_CASE("the shipped jobs are what their seed makes") {
  const auto expected = philly_like_jobs();
  if (std::getenv("GPUCAP_WRITE_SHIPPED") != nullptr) write_jobs(expected, shipped);
  const auto found = read_jobs(shipped, {});
  REQUIRE(found.jobs.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    REQUIRE(found.jobs[i].submit == expected[i].submit);
    REQUIRE(found.jobs[i].gpu_thousandths == expected[i].gpu_thousandths);
    REQUIRE(std::abs(found.jobs[i].duration.ns - expected[i].duration.ns) <= 1'000'000'000);
    REQUIRE(found.jobs[i].model == expected[i].model);
    REQUIRE(found.jobs[i].batch_size == expected[i].batch_size);
  }
}

TEST_CASE("the shipped jobs ask for as many GPUs as the published ones") {
  // Published: 154,137,879 GPU-seconds over 91.557 days, 19.485 GPUs on average.
  const auto trace = read_jobs(shipped, {});
  double gpu_seconds = 0;
  for (const Job& job : trace.jobs) {
    gpu_seconds += static_cast<double>(job.gpu_thousandths) / 1000 * as_seconds(job.duration);
  }
  const double span = as_seconds(trace.last_submit()) - as_seconds(trace.first_submit());
  CHECK(gpu_seconds / span == Approx(19.485).epsilon(0.1));
  CHECK(span / 86400 == Approx(91.557).epsilon(0.1));
}

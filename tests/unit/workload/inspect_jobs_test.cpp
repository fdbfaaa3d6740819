#include "gpucap/workload/inspect_jobs.hpp"

#include "job_files.hpp"
#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::workload;

TEST_CASE("the summary of jobs is the sum of GPUs times duration over the time of submits") {
  const JobTrace trace = jobs_of("summary.csv",
                                 "submit_s,gpus,duration_s,gpu_models\n"
                                 "0,4,100,\n50,0.5,200,a|b\n100,4,50,\n200,1,10,\n",
                                 {});
  const JobSummary seen = inspect(trace);
  // 400 + 100 + 200 + 10 GPU-seconds in 200 s.
  CHECK(seen.gpu_time.in(unit::s) == Approx(710));
  CHECK(*seen.mean_gpus == Approx(3.55));
  // The first job ends as the third one starts: 4 and 0.5.
  CHECK(seen.most_gpus == 4.5);
  REQUIRE(seen.sizes.size() == 3);
  CHECK(seen.sizes[2].gpu_thousandths == 4000);
  CHECK(seen.sizes[2].jobs == 2);
  CHECK(seen.sizes[2].gpu_time.in(unit::s) == Approx(600));
  // Ranks 2 and 4 of 10, 50, 100, 200.
  CHECK(seen.duration.p50 == at_s(50));
  CHECK(seen.duration.p95 == at_s(200));
  CHECK(seen.duration.max == at_s(200));
  CHECK(seen.restricted == 1);
  CHECK(seen.elastic == 0);
}

TEST_CASE("jobs that are submitted at once have no mean of GPUs in use") {
  const JobTrace trace = jobs_of("at_once.csv", "submit_s,gpus,duration_s\n7,1,9\n7,2,9\n", {});
  CHECK(!inspect(trace).mean_gpus);
  CHECK(inspect(trace).most_gpus == 3);
}

// Published traces of training jobs, read whole.
#include "gpucap/core/file.hpp"
#include "gpucap/workload/inspect_jobs.hpp"
#include "gpucap/workload/node_list.hpp"

#include <cmath>
#include <unistd.h>

#include "shared_data.hpp"
#include "support/catch.hpp"
#include <fmt/format.h>

using namespace gpucap;
using namespace gpucap::workload;

TEST_CASE("the Philly jobs of ElasticFlow ask for 19.5 GPUs over 92 days") {
  const auto file = test::shared_data("traces/philly_elasticflow/philly_103959.csv");
  if (!file) return;
  const JobTrace trace = read_jobs(*file, {.format = JobFormat::elasticflow,
                                           .profiles = file->parent_path() / "throughputs_A100"});
  CHECK(trace.jobs.size() == 876);
  CHECK(trace.rows == 876);
  CHECK(trace.out_of_order == 0);
  const JobSummary seen = inspect(trace);
  // 7,910,536 s and 154,137,879 GPU-seconds.
  CHECK(trace.first_submit() == SimTime{0});
  CHECK(trace.last_submit() == SimTime{7'910'536'000'000'000});
  CHECK(seen.gpu_time.in(unit::s) == Approx(154'137'879).epsilon(1e-12));
  CHECK(*seen.mean_gpus == Approx(19.485).margin(0.0005));
  REQUIRE(seen.sizes.size() == 3);
  CHECK(seen.sizes[0].jobs == 513);
  CHECK(seen.sizes[1].jobs == 33);
  CHECK(seen.sizes[2].jobs == 330);
  CHECK(seen.sizes[2].gpu_thousandths == 4000);
}

TEST_CASE("Philly durations are iterations over the throughput of the tables, to a second") {
  const auto file = test::shared_data("traces/philly_elasticflow/philly_103959.csv");
  if (!file) return;
  const JobTrace trace = read_jobs(*file, {.format = JobFormat::elasticflow,
                                           .profiles = file->parent_path() / "throughputs_A100"});
  for (const Job& job : trace.jobs) {
    REQUIRE(job.scalability);
    for (const ScalabilityPoint& point : *job.scalability) {
      if (point.gpus * 1000 != job.gpu_thousandths) continue;
      const double s = static_cast<double>(*job.iterations) / point.iterations.in(unit::per_s);
      CHECK(std::fabs(s - as_seconds(job.duration)) < 1);
    }
  }
}

TEST_CASE("the 160 Pollux jobs take their work from the ElasticFlow variant") {
  const auto file = test::shared_data("traces/pollux/workloads/workload-6.csv");
  const auto work = test::shared_data("traces/philly_elasticflow/elasticVpollux_e.csv");
  if (!file || !work) return;
  const JobTrace trace =
      read_jobs(*file, {.format = JobFormat::pollux,
                        .profiles = file->parent_path().parent_path() / "profiles",
                        .work = *work});
  CHECK(trace.jobs.size() == 160);
  std::int64_t without_profile = 0;
  for (const Job& job : trace.jobs) {
    CHECK(job.iterations.has_value());
    without_profile += job.scalability == nullptr;
    if (job.scalability == nullptr) CHECK(job.model == "yolov3");
  }
  CHECK(without_profile == 5);
}

// ElasticFlow's authors computed durations of these jobs from the same profiles, in whole seconds:
// packing, interpolation and accumulation are theirs when the durations are.
TEST_CASE("the profiles give the durations that ElasticFlow's authors took from them") {
  const auto variant = test::shared_data("traces/philly_elasticflow/elasticVpollux_e.csv");
  const auto profiles = test::shared_data("traces/pollux/profiles/bert-placements.csv");
  if (!variant || !profiles) return;
  const JobTrace recorded = read_jobs(*variant, {.format = JobFormat::elasticflow});
  CHECK(recorded.jobs.size() == 195);
  const auto pollux =
      std::filesystem::temp_directory_path() / fmt::format("gpucap_pollux_{}.csv", getpid());
  std::string rows = "name,time,application,num_replicas,batch_size\n";
  for (const Job& job : recorded.jobs) {
    rows += fmt::format("{},{},{},{},{}\n", job.id, job.submit.ns / 1'000'000'000, job.model,
                        job.gpu_thousandths / 1000, *job.batch_size);
  }
  write_file(pollux, rows);
  const JobTrace computed = read_jobs(
      pollux, {.format = JobFormat::pollux, .profiles = profiles->parent_path(), .work = *variant});
  std::filesystem::remove(pollux);
  REQUIRE(computed.jobs.size() == recorded.jobs.size());
  for (std::size_t i = 0; i < computed.jobs.size(); ++i) {
    CHECK(std::floor(as_seconds(computed.jobs[i].duration)) ==
          Approx(as_seconds(recorded.jobs[i].duration)).margin(1));
  }
}

TEST_CASE("of 8,152 openb pods 897 never started and 1,052 more hold no GPU") {
  const auto file = test::shared_data("traces/alibaba_openb_2023/openb_pod_list_default.csv.gz");
  if (!file) return;
  const JobTrace trace = read_jobs(*file, {.format = JobFormat::openb});
  CHECK(trace.rows == 8152);
  CHECK(trace.dropped_for(DropReason::never_started) == 897);
  CHECK(trace.dropped_for(DropReason::no_gpus) == 1052);
  CHECK(trace.jobs.size() == 6203);
  // 44 pods hold eight GPUs, 128 hold 0.46 of one.
  const JobSummary seen = inspect(trace);
  CHECK(seen.sizes.back().gpu_thousandths == 8000);
  CHECK(seen.sizes.back().jobs == 44);
}

TEST_CASE("the openb cluster has 1,213 GPU nodes of seven models") {
  const auto file = test::shared_data("traces/alibaba_openb_2023/openb_node_list_gpu_node.csv");
  if (!file) return;
  const NodeList nodes = read_openb_nodes(*file);
  CHECK(nodes.groups.size() == 12);
  CHECK(nodes.nodes_without_gpus == 0);
  std::int64_t all = 0, gpus = 0;
  for (const NodeGroup& group : nodes.groups) {
    all += group.nodes;
    gpus += group.nodes * group.gpus_per_node;
  }
  CHECK(all == 1213);
  CHECK(gpus == 6212);
}

// Logs of batch schedulers: Standard Workload Format and sacct of Slurm, on rows made up here.
#include "job_files.hpp"
#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::workload;

namespace {

JobTrace swf(std::string_view test, std::string_view rows, double gpus_per_processor = 1) {
  return jobs_of(test, rows, {.format = JobFormat::swf, .gpus_per_processor = gpus_per_processor});
}

constexpr std::string_view sacct_header =
    "JobID|JobName|User|State|Submit|Start|End|ElapsedRaw|Timelimit|ReqTRES|AllocTRES\n";

JobTrace sacct(std::string_view test, std::string_view rows,
               std::string_view header = sacct_header) {
  return jobs_of(test, std::string(header) + std::string(rows), {.format = JobFormat::sacct});
}

std::int64_t gpu_thousandths(std::string_view tres) {
  return sacct("sacct_tres.txt",
               "1|n|u|COMPLETED|2024-03-01T10:00:00|2024-03-01T10:00:00|2024-03-01T10:01:00|60||" +
                   std::string(tres) + "|\n")
      .jobs.at(0)
      .gpu_thousandths;
}

}  // namespace

TEST_CASE("SWF processors are GPUs as far as it is told") {
  const std::string rows =
      "; UnixStartTime: 0\n  ;another\n"
      "  1  10 5 100  8 -1 -1 16 200 -1 1 3 1 7 -1 -1 -1 -1\n"
      "2 20 5 100 -1 -1 -1 16  -1 -1 0 3 1 -1 -1 -1 -1 -1\n";
  const JobTrace trace = swf("a.swf", rows, 0.25);
  REQUIRE(trace.jobs.size() == 2);
  CHECK(trace.rows == 2);
  CHECK(trace.jobs[0].id == "1");
  CHECK(trace.jobs[0].user == "3");
  CHECK(trace.jobs[0].model == "7");
  CHECK(trace.jobs[0].submit == at_s(10));
  CHECK(trace.jobs[0].duration == at_s(100));
  CHECK(trace.jobs[0].time_limit == at_s(200));
  CHECK(trace.jobs[0].gpu_thousandths == 2000);  // 8 allocated
  CHECK(trace.jobs[1].gpu_thousandths == 4000);  // 16 requested, allocated unknown
  CHECK(!trace.jobs[1].time_limit);
  CHECK(trace.jobs[1].model.empty());
  CHECK(job_complaint("b.swf", rows, {.format = JobFormat::swf}) ==
        "gpus_per_processor: is needed: swf traces count processors; 1 takes each for a GPU "
        "[missing-option]");
}

TEST_CASE("SWF rows that are no whole job are dropped by reason") {
  const JobTrace trace = swf("c.swf",
                             "1 -1 0 9 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\n"    // no submit
                             "2 1 -1 -1 -1 -1 -1 1 9 -1 5 1 1 1 1 1 -1 -1\n"  // cancelled, waiting
                             "3 1 0 9 1 -1 -1 1 9 -1 5 1 1 1 1 1 -1 -1\n"     // cancelled, had run
                             "4 1 0 -1 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\n"    // run time unknown
                             "5 1 0 9 -1 -1 -1 -1 9 -1 1 1 1 1 1 1 -1 -1\n"   // no processors
                             "6 1 0 9 1 -1 -1 1 9 -1 3 1 1 1 1 1 -1 -1\n");   // a part
  REQUIRE(trace.jobs.size() == 1);
  CHECK(trace.jobs[0].id == "3");
  for (const auto reason : {DropReason::no_submit, DropReason::never_started,
                            DropReason::no_duration, DropReason::no_gpus, DropReason::partial}) {
    CHECK(trace.dropped_for(reason) == 1);
  }
}

TEST_CASE("a bad SWF line is told with the name of its field") {
  CHECK(job_complaint("d.swf", "1 2 3\n1 x 0 9 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\n",
                      {.format = JobFormat::swf, .gpus_per_processor = 1}) ==
        "d.swf:1:1: 3 fields, but an SWF line has 18 [field-count]\n"
        "d.swf:2:3: submit time: \"x\" is not a number [not-a-number]");
}

TEST_CASE("a sacct job has its dates since the earliest, its limit, and the GPU it ran on") {
  const JobTrace trace = sacct(
      "a.txt",
      "11|train|ann|COMPLETED|2024-03-01T10:00:00|2024-03-01T10:05:00|2024-03-02T11:05:00|90000|"
      "1-12:00:00|gres/gpu=4|billing=1,cpu=8,gres/gpu:a100=4,gres/gpu=4,mem=1G,node=1\n"
      "10|train|bob|TIMEOUT|2024-03-01T09:59:30|2024-03-01T10:05:00|2024-03-01T10:06:00|60|"
      "UNLIMITED|gres/gpu:h100=2,gres/gpu=2|gres/gpu=2\n");
  REQUIRE(trace.jobs.size() == 2);
  CHECK(trace.out_of_order == 1);
  CHECK(trace.jobs[0].id == "10");
  CHECK(trace.jobs[0].submit == at_s(0));
  CHECK(!trace.jobs[0].time_limit);
  CHECK(!trace.jobs[0].recorded_gpu);
  CHECK(trace.jobs[0].gpu_models == std::vector<std::string>{"h100"});
  CHECK(trace.jobs[1].submit == at_s(30));
  CHECK(trace.jobs[1].user == "ann");
  CHECK(trace.jobs[1].model == "train");
  CHECK(trace.jobs[1].duration == at_s(90000));
  CHECK(trace.jobs[1].time_limit == at_s(129600));  // 36 h
  CHECK(trace.jobs[1].gpu_thousandths == 4000);
  CHECK(trace.jobs[1].recorded_gpu == "a100");
  CHECK(trace.jobs[1].gpu_models.empty());
}

TEST_CASE("sacct rows that are no finished job are dropped by reason") {
  const std::string times = "2024-03-01T10:00:00|2024-03-01T10:00:00|2024-03-01T10:01:00|60||";
  const std::string waiting = "2024-03-01T10:00:00|Unknown|Unknown|0||gres/gpu=1|\n";
  const JobTrace trace = sacct(
      "b.txt",
      "1|n|u|COMPLETED|" + times +
          "gres/gpu=1|gres/gpu=1\n"  // the only job
          "1.batch|batch||COMPLETED|" +
          times +
          "|\n"  // step
          "1.0|python||COMPLETED|" +
          times +
          "|\n"  // step
          "2_[1-9]|n|u|PENDING|" +
          waiting +                               // never started
          "3|n|u|CANCELLED by 1000|" + waiting +  // never started
          "4|n|u|CANCELLED by 1000|2024-03-01T10:00:00|2024-03-01T10:00:00|2024-03-01T10:00:00|0||"
          "gres/gpu=1|\n"  // never started
          "5|n|u|RUNNING|2024-03-01T10:00:00|2024-03-01T10:00:00|Unknown|999||gres/gpu=1|gres/"
          "gpu=1\n"
          "6|n|u|COMPLETED|" +
          times +
          "cpu=1|cpu=1,gres/gpumem=5G,gres/gpuutil=9\n"                // no GPU
          "7|n|u|COMPLETED|Unknown|Unknown|Unknown|||gres/gpu=1|\n");  // no submit
  CHECK(trace.jobs.size() == 1);
  CHECK(trace.rows == 9);
  CHECK(trace.dropped_for(DropReason::job_step) == 2);
  CHECK(trace.dropped_for(DropReason::never_started) == 3);
  CHECK(trace.dropped_for(DropReason::unfinished) == 1);
  CHECK(trace.dropped_for(DropReason::no_gpus) == 1);
  CHECK(trace.dropped_for(DropReason::no_submit) == 1);
}

TEST_CASE("GPUs of a sacct job are the total or the typed entries, slices by their share") {
  CHECK(gpu_thousandths("gres/gpu=3") == 3000);
  CHECK(gpu_thousandths("gres/gpu:a100=1,gres/gpu:h100=2") == 3000);
  CHECK(gpu_thousandths("gres/gpu:a100=1,gres/gpu=3") == 3000);
  CHECK(gpu_thousandths("gres/gpu:a100_3g.40gb=2,gres/gpu=2") == 857);  // 2 x 3/7
  CHECK(gpu_thousandths("gres/gpu:1g.10gb=1") == 143);                  // 1/7
  CHECK(gpu_thousandths("gres/gpu:a30_1g.6gb=1") == 250);               // 1/4
}

TEST_CASE("elapsed time of sacct is raw, written out, or from start to end") {
  const auto elapsed = [](std::string_view columns, const std::string& cells) {
    return sacct("c.txt", "1|2024-03-01T10:00:00|gres/gpu=1|" + cells + "\n",
                 "JobIDRaw|Submit|AllocTRES|" + std::string(columns) + "\n")
        .jobs.at(0)
        .duration;
  };
  CHECK(elapsed("Elapsed", "1-02:03:04") == at_s(93784));
  CHECK(elapsed("Elapsed", "03:04") == at_s(184));
  CHECK(elapsed("Elapsed", "00:00:01.500") == SimTime{1'500'000'000});
  CHECK(elapsed("Start|End", "2024-02-28T23:00:00|2024-02-29T01:00:00") == at_s(7200));
  CHECK(elapsed("Elapsed|ElapsedRaw", "00:01:00|61") == at_s(61));
}

TEST_CASE("what sacct was not asked for is told by name") {
  CHECK(job_complaint("d.txt", "JobID|Submit|State\n", {.format = JobFormat::sacct}) ==
        "d.txt:1:1: AllocTRES: column is missing; the header is: JobID|Submit|State "
        "[missing-column]\n"
        "d.txt:1:1: ElapsedRaw: column is missing; the header is: JobID|Submit|State "
        "[missing-column]");
  CHECK(job_complaint("e.txt",
                      "JobID|Submit|AllocTRES|Elapsed|Timelimit\n"
                      "1|2024-13-01T10:00:00|gres/gpu=x|1:2:3:4|soon\n",
                      {.format = JobFormat::sacct}) ==
        "e.txt:2:3: Submit: \"2024-13-01T10:00:00\" is not a date and time such as 2023-11-16 "
        "18:17:03.9799600 [not-a-time]\n"
        "e.txt:2:34: Elapsed: \"1:2:3:4\" is not a duration such as 1-02:03:04 [not-a-time]\n"
        "e.txt:2:42: Timelimit: \"soon\" is not a duration such as 1-02:03:04 [not-a-time]\n"
        "e.txt:2:23: AllocTRES: \"gres/gpu=x\" is not a count of GPUs [not-a-count]");
}

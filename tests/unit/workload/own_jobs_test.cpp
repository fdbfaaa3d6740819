// Own job traces, and the rules that hold for every format.
#include <algorithm>

#include "job_files.hpp"
#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::workload;

namespace {

JobTrace own(std::string_view test, std::string_view rows,
             std::string_view header = "id,submit_s,gpus,duration_s\n") {
  return jobs_of(test, std::string(header) + std::string(rows), {});
}

std::string complaint_of(std::string_view test, std::string_view rows,
                         std::string_view header = "id,submit_s,gpus,duration_s\n") {
  return job_complaint(test, std::string(header) + std::string(rows), {});
}

std::vector<std::string> ids(const JobTrace& trace) {
  std::vector<std::string> ids;
  for (const Job& job : trace.jobs) ids.push_back(job.id);
  return ids;
}

}  // namespace

TEST_CASE("own jobs need submit, GPUs and duration, in any order of columns") {
  const JobTrace trace =
      jobs_of("own_least.csv", "duration_s,other,gpus,submit_s\n60.5,x,0.46,1.000000001\n", {});
  REQUIRE(trace.jobs.size() == 1);
  CHECK(trace.jobs[0].submit == SimTime{1'000'000'001});
  CHECK(trace.jobs[0].gpu_thousandths == 460);
  CHECK(trace.jobs[0].duration == SimTime{60'500'000'000});
  CHECK(trace.jobs[0].id.empty());
  CHECK(!trace.jobs[0].batch_size);
}

TEST_CASE("rows without GPUs or duration are dropped and counted by reason") {
  const JobTrace trace =
      own("own_dropped.csv", "a,0,0,60\nb,0,1,0\nc,0,1,-5\nd,0,,60\ne,0,1,\nf,0,1,60\ng,0,-1,9\n");
  CHECK(ids(trace) == std::vector<std::string>{"f"});
  CHECK(trace.dropped_for(DropReason::no_gpus) == 3);      // a, d, g
  CHECK(trace.dropped_for(DropReason::no_duration) == 3);  // b, c, e
  CHECK(trace.rows == 7);
}

TEST_CASE("unsorted rows are sorted by submit, equal ones stay as in the file") {
  // Rows 2 and 4 stand below a later one.
  const JobTrace trace = own("own_unsorted.csv", "a,5,1,9\nb,1,1,9\nc,5,1,9\nd,1,1,9\n");
  CHECK(ids(trace) == std::vector<std::string>{"b", "d", "a", "c"});
  CHECK(trace.out_of_order == 2);
  CHECK(trace.first_submit() == at_s(1));
  CHECK(trace.last_submit() == at_s(5));
}

TEST_CASE("a row that stands twice counts once; an id that stands twice is another job") {
  const JobTrace trace =
      own("own_twice.csv", "a,0,1,9\na,0,1,9\na,0,1,9\na,3,1,9\nb,0,1,9\n,0,1,9\n,0,1,9\n");
  CHECK(ids(trace) == std::vector<std::string>{"a", "b", "", "", "a"});
  CHECK(trace.dropped_for(DropReason::duplicate) == 2);
  CHECK(trace.repeated_ids == 1);
  CHECK(trace.rows == 7);
}

TEST_CASE("numbers beyond 32 bits are read whole") {
  const JobTrace trace =
      jobs_of("own_wide.csv",
              "submit_s,gpus,duration_s,iterations,batch_size,priority\n"
              "4294967298,1,3000000000,9007199254740993,4294967298,-4294967298\n",
              {});
  const Job& job = trace.jobs.at(0);
  CHECK(job.submit == at_s(4'294'967'298));
  CHECK(job.duration == at_s(3'000'000'000));
  CHECK(job.iterations == 9'007'199'254'740'993);
  CHECK(job.batch_size == 4'294'967'298);
  CHECK(job.priority == -4'294'967'298);
}

TEST_CASE("what is written is read back the same") {
  Job full{.id = "a \"b\", c",
           .user = "u",
           .model = "bert",
           .submit = SimTime{1},
           .gpu_thousandths = 50,
           .duration = SimTime{1'020'000'000},
           .time_limit = at_s(7),
           .priority = -3,
           .gpu_models = {"G2", "T4"},
           .batch_size = 64,
           .iterations = 12,
           .recorded_gpu = "a100-sxm-80gb",
           .scalability = std::make_shared<const Scalability>(
               Scalability{{1, 6.03 * unit::per_s}, {8, 1e-9 / 3 * unit::per_s}})};
  const Job plain{.submit = at_s(3), .gpu_thousandths = 4000, .duration = at_s(9)};
  const TemporaryFile file("own_written.csv", "");
  write_jobs({full, plain}, file.path());
  const JobTrace trace = read_jobs(file.path(), {});
  REQUIRE(trace.jobs.size() == 2);
  const Job& first = trace.jobs[0];
  CHECK(first.id == full.id);
  CHECK(first.submit == full.submit);
  CHECK(first.gpu_thousandths == 50);
  CHECK(first.duration == full.duration);
  CHECK(first.time_limit == full.time_limit);
  CHECK(first.priority == -3);
  CHECK(first.gpu_models == full.gpu_models);
  CHECK(first.batch_size == 64);
  CHECK(first.iterations == 12);
  CHECK(first.recorded_gpu == full.recorded_gpu);
  CHECK(*first.scalability == *full.scalability);
  CHECK(trace.jobs[1].scalability == nullptr);
  CHECK(!trace.jobs[1].time_limit);
  CHECK(!trace.jobs[1].recorded_gpu);
}

TEST_CASE("columns that no job uses are not written") {
  const TemporaryFile file("own_short.csv", "");
  write_jobs({{.submit = at_s(3), .gpu_thousandths = 460, .duration = SimTime{9'500'000'000}}},
             file.path());
  CHECK(read_file(file.path()) == "submit_s,gpus,duration_s\n3,0.46,9.5\n");
}

TEST_CASE("all bad cells and rows of a file are told with their places") {
  CHECK(complaint_of("own_bad.csv", "a,x,1,9\nb,0,1.0001,1e\nc,0,1\nd,nan,1,1e99\n") ==
        "own_bad.csv:2:3: submit_s: \"x\" is not a number [not-a-number]\n"
        "own_bad.csv:3:5: gpus: \"1.0001\" GPUs are beyond a million or finer than a thousandth "
        "[out-of-range]\n"
        "own_bad.csv:3:12: duration_s: \"1e\" is not a number [not-a-number]\n"
        "own_bad.csv:4:1: 3 fields, but the header names 4; is the line cut short? [field-count]\n"
        "own_bad.csv:5:3: submit_s: \"nan\" is not a number [not-a-number]\n"
        "own_bad.csv:5:9: duration_s: a time of 1e+99 s is beyond 142 years; the file may be in "
        "another unit [out-of-range]");
  CHECK(complaint_of("own_before.csv", "a,-1,1,9\n") ==
        "own_before.csv:2:3: submit_s: a time of -1 s is negative [out-of-range]");
}

TEST_CASE("reading stops after twenty problems and says so") {
  std::string rows;
  for (int i = 0; i < 30; ++i) rows += "a,x,1,9\n";
  const std::string text = complaint_of("own_many.csv", rows);
  CHECK(std::count(text.begin(), text.end(), '\n') == 20);
  CHECK(text.ends_with("own_many.csv: reading stopped after 20 problems [too-many-problems]"));
}

TEST_CASE("missing columns name the nearest one") {
  CHECK(job_complaint("own_header.csv", "submit,gpus,duration_s,gpus\n0,1,9,1\n", {}) ==
        "own_header.csv:1:1: submit_s: column is missing; is it the one called \"submit\"? "
        "[missing-column]\n"
        "own_header.csv:1:8: gpus: column occurs twice [duplicate-column]");
}

TEST_CASE("a trace without a single job says why") {
  CHECK(complaint_of("own_none.csv", "") == "own_none.csv: the trace has no rows [empty-trace]");
  CHECK(complaint_of("own_nothing.csv", "a,0,0,9\nb,0,1,0\n") ==
        "own_nothing.csv: none of 2 rows is a job with GPUs and a duration; no_gpus: 1; "
        "no_duration: 1 [empty-trace]");
}

TEST_CASE("a scalability column is ascending GPUs with rates above 0") {
  const std::string header = "submit_s,gpus,duration_s,iterations_per_s\n";
  const JobTrace trace = own("own_scale.csv", "0,1,9,1:2.5 4:8\n1,1,9,1:2.5 4:8\n2,1,9,\n", header);
  CHECK(*trace.jobs[0].scalability == Scalability{{1, 2.5 * unit::per_s}, {4, 8.0 * unit::per_s}});
  CHECK(trace.jobs[0].scalability == trace.jobs[1].scalability);  // shared
  CHECK(trace.jobs[2].scalability == nullptr);
  for (const std::string bad : {"4:1 1:2", "1:0", "1", "x:1", "0:1"}) {
    CHECK(complaint_of("own_scale_bad.csv", "0,1,9," + bad + "\n", header).find("[not-a-table]") !=
          std::string::npos);
  }
}

TEST_CASE("a recorded GPU that is told holds for jobs that name none") {
  const JobTrace trace =
      jobs_of("own_gpu.csv", "submit_s,gpus,duration_s,recorded_gpu\n0,1,9,\n1,1,9,t4\n",
              {.recorded_gpu = "a100"});
  CHECK(trace.jobs[0].recorded_gpu == "a100");
  CHECK(trace.jobs[1].recorded_gpu == "t4");
}

TEST_CASE("options that mean nothing for a format are refused") {
  CHECK(job_complaint("own_options.csv", "", {.profiles = ".", .gpus_per_processor = 1}) ==
        "gpus_per_processor: has no meaning for gpucap-jobs traces [unused-option]\n"
        "profiles: has no meaning for gpucap-jobs traces [unused-option]");
}

// The quirks of the formats that clusters and papers publish, on rows made up for the test.
#include "gpucap/workload/node_list.hpp"

#include "job_files.hpp"
#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::workload;

namespace {

constexpr std::string_view elasticflow_header =
    "job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration\n";

JobTrace elasticflow(std::string_view test, std::string_view rows,
                     std::optional<std::filesystem::path> profiles = std::nullopt) {
  return jobs_of(test, std::string(elasticflow_header) + std::string(rows),
                 {.format = JobFormat::elasticflow, .profiles = std::move(profiles)});
}

constexpr std::string_view openb_header =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
    "deletion_time,scheduled_time\n";

JobTrace openb(std::string_view test, std::string_view rows) {
  return jobs_of(test, std::string(openb_header) + std::string(rows), {.format = JobFormat::openb});
}

}  // namespace

TEST_CASE("elasticflow jobs are found by the names of their columns") {
  const JobTrace trace = elasticflow("ef.csv", "7,100,2011,cifar10,999,4096,2,5644\n");
  const Job& job = trace.jobs.at(0);
  CHECK(job.id == "7");
  CHECK(job.model == "cifar10");
  CHECK(job.submit == at_s(100));
  CHECK(job.gpu_thousandths == 2000);
  CHECK(job.duration == at_s(5644));
  CHECK(job.batch_size == 4096);
  CHECK(job.iterations == 2011);
  CHECK(!job.time_limit);  // a deadline is no limit
  CHECK(job.scalability == nullptr);
}

TEST_CASE("elasticflow throughputs are looked up by model and batch size, blanks left out") {
  const TemporaryFile table("bert.csv",
                            "global_batch_size,1,2,4,64\n64,6,8.5,,\n128,3.5,5.5,8,2\n");
  const JobTrace trace =
      elasticflow("ef_scale.csv", "0,0,9,bert,9,64,1,9\n1,1,9,bert,9,32,1,9\n2,2,9,vgg,9,64,1,9\n",
                  table.path().parent_path());
  CHECK(*trace.jobs[0].scalability == Scalability{{1, 6.0 * unit::per_s}, {2, 8.5 * unit::per_s}});
  CHECK(trace.jobs[1].scalability == nullptr);  // no such batch size
  CHECK(trace.jobs[2].scalability == nullptr);  // no such model
}

TEST_CASE("a bad throughput is told with its place in the table") {
  const TemporaryFile table("bert.csv", "global_batch_size,1,2\n64,6,0\n");
  CHECK_THROWS_WITH(
      elasticflow("ef_bad.csv", "0,0,9,bert,9,64,1,9\n", table.path().parent_path()),
      table.path().string() + ":2:6: 2: 0 iterations per second are not above 0 [out-of-range]");
}

TEST_CASE("pollux steps are packed, interpolated and accumulated as profiled") {
  // Placement 12 is not packed, as 3 GPUs fit on one node.
  const TemporaryFile placements("app-placements.csv",
                                 "placement,local_bsz,step_time,sync_time\n"
                                 "2,10,1,0.2\n2,20,2,0.4\n12,10,50,0\n14,10,0.5,0.1\n");
  const TemporaryFile work(
      "work.csv", std::string(elasticflow_header) +
                      "0,0,100,app,9,30,1,9\n1,0,200,app,9,80,1,9\n2,0,5,gone,9,30,2,77\n");
  const JobTrace trace =
      jobs_of("pollux.csv",
              "name,time,application,num_replicas,batch_size\n"
              "a,0,app,2,30\nb,1,app,2,80\nc,2,app,5,30\nd,3,app,3,30\ne,4,gone,2,30\n"
              "f,5,gone,4,30\ng,6,app,2,31\n",
              {.format = JobFormat::pollux,
               .profiles = placements.path().parent_path(),
               .work = work.path()});
  REQUIRE(trace.jobs.size() == 4);
  // 15 samples a GPU lie halfway between 10 and 20: 1.5 s, a hundred times.
  CHECK(trace.jobs[0].duration == at_s(150));
  CHECK(trace.jobs[0].iterations == 100);
  // 40 samples are two parts of 20, the first without its 0.4 s of exchange: 3.6 s.
  CHECK(trace.jobs[1].duration == at_s(720));
  // 6 samples take as long as 10.
  CHECK(trace.jobs[2].duration == at_s(50));
  REQUIRE(trace.jobs[0].scalability->size() == 2);
  CHECK(trace.jobs[0].scalability->at(1).gpus == 5);
  CHECK(trace.jobs[0].scalability->at(1).iterations.in(unit::per_s) == Approx(2));
  // Without a profile: an equal job of the other trace.
  CHECK(trace.jobs[3].id == "e");
  CHECK(trace.jobs[3].duration == at_s(77));
  // d: 3 GPUs, f: 4 GPUs, g: batch 31 are nowhere.
  CHECK(trace.dropped_for(DropReason::no_profile) == 3);
}

TEST_CASE("pollux traces cannot do without profiles and iterations") {
  CHECK(job_complaint("pollux_alone.csv", "", {.format = JobFormat::pollux}) ==
        "profiles: is needed: pollux traces time steps by profiles [missing-option]\n"
        "work: is needed: pollux traces say nothing of iterations; name an elasticflow CSV that "
        "does [missing-option]");
}

TEST_CASE("openb pods hold shares of a GPU, some name models, some never started") {
  const JobTrace trace = openb("openb.csv",
                               "a,1,1,1,460,,LS,Running,5,100,10\n"
                               "b,1,1,8,1000,G2|V100M32,BE,Failed,6,100,20\n"
                               "c,1,1,1,1000,,LS,Pending,7,100,\n"
                               "d,1,1,0,0,,LS,Running,8,100,9\n"
                               "e,1,1,1,1000,,LS,Running,9,,9\n"
                               "f,1,1,1,1000,,LS,Failed,9,10,10\n");
  REQUIRE(trace.jobs.size() == 2);
  CHECK(trace.jobs[0].submit == at_s(5));
  CHECK(trace.jobs[0].gpu_thousandths == 460);
  CHECK(trace.jobs[0].duration == at_s(90));
  CHECK(trace.jobs[0].gpu_models.empty());
  CHECK(trace.jobs[1].gpu_thousandths == 8000);
  CHECK(trace.jobs[1].gpu_models == std::vector<std::string>{"G2", "V100M32"});
  CHECK(trace.dropped_for(DropReason::never_started) == 1);
  CHECK(trace.dropped_for(DropReason::no_gpus) == 1);
  CHECK(trace.dropped_for(DropReason::unfinished) == 1);
  CHECK(trace.dropped_for(DropReason::no_duration) == 1);
}

TEST_CASE("openb nodes are counted by model and size") {
  const TemporaryFile file("openb_nodes.csv",
                           "sn,cpu_milli,memory_mib,gpu,model\n"
                           "a,1,1,8,T4\nb,1,1,2,T4\nc,1,1,8,T4\nd,1,1,0,\ne,1,1,4,G2\n");
  const NodeList nodes = read_openb_nodes(file.path());
  CHECK(nodes.groups == std::vector<NodeGroup>{{"G2", 4, 1}, {"T4", 2, 1}, {"T4", 8, 2}});
  CHECK(nodes.nodes_without_gpus == 1);
}

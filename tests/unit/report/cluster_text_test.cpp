// The verdict on clusters: who may win, by how much, and when that is a draw.
#include "gpucap/report/cluster.hpp"

#include "support/catch.hpp"

using namespace gpucap;
using report::ClusterReport;

namespace {

evaluate::ClusterOutcome cluster_of(const std::string& name, double cost) {
  evaluate::ClusterOutcome outcome;
  outcome.name = name;
  outcome.gpus = 8;
  outcome.submitted = outcome.finished = 10;
  outcome.cost.currency = Currency::parse("USD");
  outcome.cost.run = cost;
  outcome.speed_error = 0.1;
  return outcome;
}

std::string text_of(std::vector<evaluate::ClusterOutcome> candidates) {
  ClusterReport report;
  report.policies.push_back({"fifo", std::move(candidates)});
  return report::cluster_text(report, std::nullopt);
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a cluster wins by more than its speeds may err, or it is a draw") {
  CHECK(says(text_of({cluster_of("near", 97), cluster_of("far", 100)}),
             "Cheapest: near, 3 % below far, a draw: speeds are known within 10 %."));
  CHECK(says(text_of({cluster_of("near", 80), cluster_of("far", 100)}),
             "Cheapest: near, 20 % below far."));
  CHECK(says(text_of({cluster_of("alone", 80)}), "Cheapest: alone."));
}

TEST_CASE("a cluster that cuts jobs at their limit does not win") {
  auto cut = cluster_of("cut", 50);
  cut.cut = 3;
  const auto text = text_of({cut, cluster_of("whole", 100)});
  CHECK(says(text, "3 jobs cut at their limit"));
  CHECK(says(text, "Cheapest: whole."));
}

TEST_CASE("where nothing finishes the reason stands in the verdict") {
  auto refused = cluster_of("small", 0);
  refused.finished = 0;
  refused.refused = 10;
  refused.reason = "no job finished: 10 of 10 need more GPUs than any group has";
  const auto text = text_of({refused});
  CHECK(says(text, "no cluster is stable and finishes every job."));
  CHECK(says(text, "small: no job finished"));
}

#pragma once

#include "gpucap/evaluate/cluster.hpp"
#include "gpucap/report/files.hpp"
#include "gpucap/report/listing.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::report {

/// All candidates under one policy.
struct PolicyReport {
  std::string policy;
  std::vector<evaluate::ClusterOutcome> candidates;
};

/// What one `run` of a cluster scenario found. Costs are in one currency throughout.
struct ClusterReport {
  std::string scenario;
  std::vector<std::string> headline;
  std::vector<PolicyReport> policies;
};

/// All policies, candidates and winners: summary.json.
std::string cluster_json(const ClusterReport& report);
/// Every figure of every candidate under every policy: summary.csv.
Listing cluster_summary(const ClusterReport& report);
/// Headline and tables for a terminal of `width` columns (absent: keep every column).
std::string cluster_text(const ClusterReport& report, std::optional<std::size_t> width);
std::string cluster_markdown(const ClusterReport& report);
std::vector<std::string> cluster_notes(const ClusterReport& report);

/// The candidate of least cost that is not unstable and finishes every job; absent without one.
std::optional<std::size_t> cheapest(const PolicyReport& report);
/// The same by mean queueing delay, and by energy.
std::optional<std::size_t> quickest(const PolicyReport& report);
std::optional<std::size_t> thriftiest(const PolicyReport& report);

}  // namespace gpucap::report

#pragma once

#include "gpucap/report/listing.hpp"
#include "gpucap/report/run_report.hpp"
#include "gpucap/units/quantity.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace gpucap::report {

/// What one rank could do at best; an absent one leaves its utilisation empty.
struct CardPeaks {
  std::optional<FlopRate> compute;
  std::optional<Bandwidth> memory;
};

/// Whose timeline it is.
struct ReplicaName {
  std::string load;
  std::string candidate;
  std::int64_t replica = 0;
  std::int64_t stage = 0;  ///< of the replica's pipeline
};

/// Fields of timeline.csv; rows are added with add_timeline.
Listing empty_timeline();

/// One row per bucket: shares of its width that were busy, prefill and decode, mean running and
/// waiting requests and KV tokens, and the use of the peaks over the whole width. A step counts in
/// the bucket in which it starts, so a busy share may exceed 1 by part of a step.
void add_timeline(Listing& listing, const ReplicaName& who, SimTime width,
                  std::span<const record::Timeline::Bucket> buckets, const CardPeaks& peaks);

/// timeline.csv of a whole run; peaks by name of candidate.
Listing timeline(const RunReport& report, const std::map<std::string, CardPeaks>& peaks);

}  // namespace gpucap::report

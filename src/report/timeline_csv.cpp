#include "gpucap/report/timeline_csv.hpp"

namespace gpucap::report {
namespace {

using Bucket = record::Timeline::Bucket;
using record::State;

const record::Usage& usage(const Bucket& bucket, State state) {
  return bucket.by_state[static_cast<std::size_t>(state)];
}

/// Work of both busy states over what the peak could do in the width.
Cell utilization(double work, std::optional<double> peak_per_second, double width) {
  if (!peak_per_second) return {};
  return number_cell(work / (*peak_per_second * width));
}

/// Mean level over the width, from exact integers, rounded once.
Cell mean(Ticks integral, SimTime width) {
  return number_cell(static_cast<double>(integral.count) /
                     static_cast<double>(to_ticks(width).count));
}

std::vector<Cell> row_of(const Bucket& bucket, SimTime start, SimTime bucket_width,
                         const CardPeaks& peaks) {
  const auto& prefill = usage(bucket, State::prefill);
  const auto& decode = usage(bucket, State::decode);
  const double width = as_seconds(bucket_width);
  const auto flops = static_cast<double>(prefill.flops + decode.flops);
  const auto bytes = static_cast<double>(prefill.bytes + decode.bytes);
  return {
      number_cell(as_seconds(start)),
      number_cell(width),
      mean(prefill.time + decode.time, bucket_width),
      mean(prefill.time, bucket_width),
      mean(decode.time, bucket_width),
      mean(bucket.running_time, bucket_width),
      mean(bucket.waiting_time, bucket_width),
      mean(bucket.kv_tokens_time, bucket_width),
      utilization(flops, peaks.compute ? std::optional(peaks.compute->base()) : std::nullopt,
                  width),
      utilization(bytes, peaks.memory ? std::optional(peaks.memory->base()) : std::nullopt, width)};
}

}  // namespace

Listing empty_timeline() {
  Listing listing;
  for (const char* name :
       {"load", "candidate", "replica", "stage", "start_s", "width_s", "busy_share",
        "prefill_share", "decode_share", "running_mean", "waiting_mean", "kv_tokens_mean",
        "compute_utilization", "memory_bandwidth_utilization"}) {
    listing.fields.push_back({name, name});
  }
  return listing;
}

void add_timeline(Listing& listing, const ReplicaName& who, SimTime width,
                  std::span<const Bucket> buckets, const CardPeaks& peaks) {
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const SimTime start{width.ns * static_cast<std::int64_t>(i)};
    std::vector<Cell> row = {text_cell(who.load), text_cell(who.candidate), Cell{who.replica},
                             Cell{who.stage}};
    for (Cell& cell : row_of(buckets[i], start, width, peaks)) {
      row.push_back(std::move(cell));
    }
    listing.rows.push_back(std::move(row));
  }
}

Listing timeline(const RunReport& report, const std::map<std::string, CardPeaks>& peaks) {
  Listing listing = empty_timeline();
  for (const auto& load : report.loads) {
    for (const auto& outcome : load.candidates) {
      const auto known = peaks.find(outcome.name);
      const CardPeaks card = known == peaks.end() ? CardPeaks{} : known->second;
      std::int64_t index = 0;
      for (const auto& line : outcome.timelines) {
        add_timeline(listing,
                     {load.name, outcome.name, index / outcome.stages, index % outcome.stages},
                     line.bucket_width(), line.buckets(), card);
        ++index;
      }
    }
  }
  return listing;
}

}  // namespace gpucap::report

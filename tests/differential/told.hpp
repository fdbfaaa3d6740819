#pragma once

#include "gpucap/record/sink.hpp"
#include "gpucap/record/usage.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace gpucap::test {

/// Everything that a simulation tells, in a form that can be compared.
struct Told : record::Sink {
  std::vector<record::RequestRow> requests;
  std::vector<std::vector<std::int64_t>> arrivals;
  std::map<Ticks::Wide, std::int64_t> gaps;  ///< how often each occurs
  std::int64_t jumped = 0;

  void arrived(std::int64_t id, SimTime time, std::int64_t queue) override {
    arrivals.push_back({id, time.ns, queue});
  }
  void refused(std::int64_t id, SimTime time) override { arrivals.push_back({id, time.ns}); }
  void finished(const record::RequestRow& row) override { requests.push_back(row); }
  void token_gaps(const record::TokenGaps& run) override {
    if (run.steps > 1) jumped += run.steps;
    for (std::int64_t i = 0; i < run.steps; ++i) {
      gaps[(run.first + run.growth * i).count] += run.count;
    }
  }
};

inline bool same(const record::RequestRow& a, const record::RequestRow& b) {
  return a.id == b.id && a.replica == b.replica && a.arrival == b.arrival &&
         a.scheduled == b.scheduled && a.first_token == b.first_token && a.finished == b.finished &&
         a.prompt_tokens == b.prompt_tokens && a.output_tokens == b.output_tokens &&
         a.cached_prompt_tokens == b.cached_prompt_tokens && a.preemptions == b.preemptions;
}

inline bool same(const record::Usage& a, const record::Usage& b) {
  return a.time == b.time && a.flops == b.flops && a.bytes == b.bytes &&
         a.link_bytes == b.link_bytes && a.steps == b.steps && a.prompt_tokens == b.prompt_tokens &&
         a.output_tokens == b.output_tokens && a.by_cause == b.by_cause;
}

inline bool same(const record::Timeline::Bucket& a, const record::Timeline::Bucket& b) {
  return a.kv_tokens_time == b.kv_tokens_time && a.running_time == b.running_time &&
         a.waiting_time == b.waiting_time &&
         std::ranges::equal(a.by_state, b.by_state,
                            [](const auto& u, const auto& v) { return same(u, v); });
}

inline bool same(const record::Timeline& a, const record::Timeline& b) {
  return a.bucket_width() == b.bucket_width() &&
         std::ranges::equal(a.buckets(), b.buckets(),
                            [](const auto& x, const auto& y) { return same(x, y); });
}

template <class T>
bool all_same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return same(x, y); });
}

}  // namespace gpucap::test

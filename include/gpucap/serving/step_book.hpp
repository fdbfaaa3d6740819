#pragma once

#include "gpucap/perf/cause.hpp"
#include "gpucap/perf/decode_run.hpp"
#include "gpucap/perf/step_cost.hpp"
#include "gpucap/record/usage.hpp"
#include "gpucap/serving/decode_set.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gpucap::serving {

/// What is in use while a step runs.
struct Levels {
  std::int64_t blocks = 0;  ///< KV blocks
  std::int64_t running = 0, waiting = 0;
  /// Why the head of the waiting queue is left out, if it is.
  std::optional<perf::Cause> head_blocked;
};

/// What is in use in the first step of a row beyond the levels of the others: it was decided before
/// those left who finished with the step before it.
struct Leaving {
  std::int64_t blocks = 0, running = 0;
};

/// Books the steps of one pipeline stage into its timeline, in order of time. Work of decode-only
/// steps is linear in a few sums of tokens for each number of sequences, so rows of them add to
/// these sums, and a bucket is priced once, when it is left.
class StepBook {
 public:
  /// Tokens that come out of a step are counted on the last stage only.
  StepBook(const perf::StepCost& cost, std::int64_t block_tokens, std::size_t buckets);

  /// One step that starts at `start`; its tokens are counted where `tokens` is set.
  struct Tokens {
    std::int64_t prompt = 0, output = 0;
  };
  void add(const perf::StepWork& work, record::State state, Ticks start, const Levels& levels,
           const std::optional<Tokens>& tokens);

  /// The first `steps` of a row that starts at `start` and whose first step has taken its blocks.
  /// Returns how many blocks those after it take.
  std::int64_t add_row(const perf::DecodeRun& run, std::int64_t steps, Ticks start,
                       const DecodeSet& sequences, const Levels& levels, const Leaving& leaving);

  /// Everything that was booked; nothing can be added after it.
  [[nodiscard]] record::Timeline close();

 private:
  record::Timeline::Bucket& bucket_at(SimTime start);
  void add_sums(const perf::DecodeRun& run, std::int64_t first, std::int64_t next);
  void price_sums();

  const perf::StepCost* cost_;
  std::int64_t block_tokens_;
  record::Timeline timeline_;
  record::Timeline::Bucket* bucket_ = nullptr;
  SimTime bucket_end_{0};
  Ticks blocks_time_;  ///< integral over the bucket of blocks in use
  struct Sums {
    std::int64_t sequences = 0;  ///< 0: none of so many in this bucket
    perf::DecodeSums gpu_bound, host_bound;
  };
  std::vector<Sums> sums_;             ///< of the bucket, by number of sequences
  std::vector<std::int64_t> in_sums_;  ///< numbers of sequences that occur there
};

}  // namespace gpucap::serving

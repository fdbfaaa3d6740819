#include "gpucap/workload/inspect.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace gpucap::workload {
namespace {

/// Counts by value: exact percentiles in memory of the number of different values.
class Histogram {
 public:
  void add(std::int64_t value) {
    ++counts_[value];
    ++n_;
    sum_ += value;
  }

  [[nodiscard]] std::optional<TokenSummary> summary() const {
    if (n_ == 0) return std::nullopt;
    return TokenSummary{.sum = sum_,
                        .mean = static_cast<double>(sum_) / static_cast<double>(n_),
                        .p50 = nearest_rank(50),
                        .p95 = nearest_rank(95),
                        .p99 = nearest_rank(99),
                        .max = counts_.rbegin()->first};
  }

 private:
  [[nodiscard]] std::int64_t nearest_rank(std::int64_t percent) const {
    const std::int64_t rank = (percent * n_ + 99) / 100;
    std::int64_t passed = 0;
    for (const auto& [value, count] : counts_) {
      if ((passed += count) >= rank) return value;
    }
    return counts_.rbegin()->first;
  }

  std::map<std::int64_t, std::int64_t> counts_;
  std::int64_t n_ = 0, sum_ = 0;
};

/// Mean and variation of the gaps in one pass (Welford 1962).
class Gaps {
 public:
  void add(SimTime arrival) {
    if (last_) {
      const double gap = static_cast<double>(arrival.ns - last_->ns);
      const double delta = gap - mean_;
      mean_ += delta / static_cast<double>(++n_);
      squares_ += delta * (gap - mean_);
    }
    last_ = arrival;
  }

  [[nodiscard]] std::optional<double> variation() const {
    if (n_ < 2 || mean_ <= 0) return std::nullopt;
    return std::sqrt(squares_ / static_cast<double>(n_ - 1)) / mean_;
  }

 private:
  std::optional<SimTime> last_;
  std::int64_t n_ = 0;
  double mean_ = 0, squares_ = 0;
};

/// Every block sequence seen, as a tree of blocks: a cache that never evicts.
class PrefixTree {
 public:
  explicit PrefixTree(std::int64_t block_tokens) : block_tokens_(block_tokens) {}

  /// Adds a prompt and returns how many of its tokens lie in a prefix seen before.
  std::int64_t add(const Request& request) {
    std::int64_t known = 0, begin = 0;
    std::uint64_t node = 0;
    for (const std::uint64_t block : request.prompt_blocks) {
      const auto [child, fresh] = children_.try_emplace({node, block}, children_.size() + 1);
      const std::int64_t tokens = std::min(block_tokens_, request.prompt_tokens - begin);
      if (!fresh) known += tokens;
      begin += tokens;
      node = child->second;
    }
    return known;
  }

 private:
  struct Edge {
    std::uint64_t parent, block;
    bool operator==(const Edge&) const = default;
  };
  struct EdgeHash {
    std::size_t operator()(const Edge& edge) const {
      // Odd multiplier of Fibonacci hashing; spreads parents that count upwards.
      const std::uint64_t mixed = edge.parent * 0x9e3779b97f4a7c15u ^ edge.block;
      return mixed * 0x9e3779b97f4a7c15u >> 7;
    }
  };

  std::int64_t block_tokens_;
  std::unordered_map<Edge, std::uint64_t, EdgeHash> children_;
};

void add_rate(TraceSummary& summary) {
  if (summary.rows < 2 || summary.span() <= Seconds{}) return;
  summary.mean_rate =
      static_cast<double>(summary.rows - 1) / summary.span().in(unit::s)*unit::per_s;
}

}  // namespace

Seconds TraceSummary::span() const {
  if (!first_arrival) return {};
  return as_seconds(SimTime{last_arrival->ns - first_arrival->ns}) * unit::s;
}

TraceSummary inspect(RequestStream& requests) {
  TraceSummary summary;
  Histogram prompt, output;
  Gaps gaps;
  PrefixTree prefixes(requests.block_tokens());
  std::int64_t known = 0;
  for (auto request = requests.next(); request; request = requests.next()) {
    ++summary.rows;
    if (!summary.first_arrival) summary.first_arrival = request->arrival;
    summary.last_arrival = request->arrival;
    prompt.add(request->prompt_tokens);
    output.add(request->output_tokens);
    gaps.add(request->arrival);
    known += prefixes.add(*request);
  }
  summary.dropped = requests.dropped();
  summary.gap_variation = gaps.variation();
  summary.prompt = prompt.summary();
  summary.output = output.summary();
  summary.block_tokens = requests.block_tokens();
  add_rate(summary);
  if (summary.block_tokens > 0 && summary.prompt) {
    summary.shared_prefix_share =
        static_cast<double>(known) / static_cast<double>(summary.prompt->sum);
  }
  return summary;
}

}  // namespace gpucap::workload

#include "gpucap/workload/inspect.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace gpucap::workload {
namespace {

/// Counts by value: exact percentiles in memory of the number of different values, and of
/// `dense_values` counts at most for small ones, which nearly all are.
class Histogram {
 public:
  void add(std::int64_t value) {
    ++n_;
    sum_ += value;
    if (value >= dense_values) {
      ++sparse_[value];
      return;
    }
    const auto index = static_cast<std::size_t>(value);
    if (index >= dense_.size()) dense_.resize(index + 1);
    ++dense_[index];
  }

  [[nodiscard]] std::optional<TokenSummary> summary() const {
    if (n_ == 0) return std::nullopt;
    return TokenSummary{.sum = sum_,
                        .mean = static_cast<double>(sum_) / static_cast<double>(n_),
                        .p50 = nearest_rank(50),
                        .p95 = nearest_rank(95),
                        .p99 = nearest_rank(99),
                        .max = largest()};
  }

 private:
  static constexpr std::int64_t dense_values = 1 << 16;

  [[nodiscard]] std::int64_t largest() const {
    // Dense counts end with the largest value seen.
    return sparse_.empty() ? static_cast<std::int64_t>(dense_.size()) - 1 : sparse_.rbegin()->first;
  }

  [[nodiscard]] std::int64_t nearest_rank(std::int64_t percent) const {
    const std::int64_t rank = (percent * n_ + 99) / 100;
    std::int64_t passed = 0;
    for (std::size_t value = 0; value < dense_.size(); ++value) {
      if ((passed += dense_[value]) >= rank) return static_cast<std::int64_t>(value);
    }
    for (const auto& [value, count] : sparse_) {
      if ((passed += count) >= rank) return value;
    }
    return largest();
  }

  std::vector<std::int64_t> dense_;
  std::map<std::int64_t, std::int64_t> sparse_;
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

/// Every block sequence seen, as a tree of blocks: a cache that never evicts. Its edges stand in
/// one table with open addressing, since a trace may name millions of blocks.
class PrefixTree {
 public:
  explicit PrefixTree(std::int64_t block_tokens) : block_tokens_(block_tokens) {}

  /// Adds a prompt and returns how many of its tokens lie in a prefix seen before.
  std::int64_t add(const Request& request) {
    std::int64_t known = 0, begin = 0;
    std::uint64_t node = 0;
    for (const std::uint64_t block : request.prompt_blocks) {
      if (3 * nodes_ >= 2 * edges_.size()) grow();
      Edge& edge = find(node, block);
      const std::int64_t tokens = std::min(block_tokens_, request.prompt_tokens - begin);
      if (edge.child == 0) {
        edge = {node, block, ++nodes_};
      } else {
        known += tokens;
      }
      begin += tokens;
      node = edge.child;
    }
    return known;
  }

 private:
  struct Edge {
    std::uint64_t parent = 0, block = 0;
    std::uint64_t child = 0;  ///< nodes count from 1 below the root; 0: the place is free
  };

  /// The edge, or the free place where it belongs.
  Edge& find(std::uint64_t parent, std::uint64_t block) {
    // Odd multiplier of Fibonacci hashing; spreads parents that count upwards.
    constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;
    const std::size_t mask = edges_.size() - 1;
    std::size_t at = ((parent * spread ^ block) * spread >> 20) & mask;
    for (; edges_[at].child != 0; at = (at + 1) & mask) {
      if (edges_[at].parent == parent && edges_[at].block == block) break;
    }
    return edges_[at];
  }

  void grow() {
    std::vector<Edge> old(std::max<std::size_t>(64, 2 * edges_.size()));
    old.swap(edges_);
    for (const Edge& edge : old) {
      if (edge.child != 0) find(edge.parent, edge.block) = edge;
    }
  }

  std::int64_t block_tokens_;
  std::vector<Edge> edges_;  ///< a power of two of them, at most two thirds taken
  std::uint64_t nodes_ = 0;
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

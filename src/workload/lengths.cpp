#include "gpucap/workload/lengths.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace gpucap::workload {
namespace {

// 95 % quantile of the standard normal distribution.
constexpr double z95 = 1.6448536269514722;

// A request of more tokens than a 32-bit count holds is a slip of the unit, not a workload.
constexpr std::int64_t largest_count = std::numeric_limits<std::int32_t>::max();

ParseFailure out_of_range(std::string message) {
  return {std::move(message), "out-of-range"};
}

bool is_length(std::int64_t tokens) {
  return tokens >= 1 && tokens <= largest_count;
}

bool is_length(double tokens) {
  return tokens >= 1 && tokens <= static_cast<double>(largest_count);
}

/// Mean of an exponential of mean `scale` whose draws above `max` are left out.
double truncated_mean(double scale, double max) {
  return scale - max / std::expm1(max / scale);
}

/// Inverse of truncated_mean by bisection; the mean grows with the scale, towards max / 2.
double scale_for(double mean, double max) {
  double low = mean, high = mean;
  while (truncated_mean(high, max) < mean) high *= 2;
  // 200 halvings end at neighbouring doubles.
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (truncated_mean(middle, max) < mean ? low : high) = middle;
  }
  return high;
}

std::int64_t at_least_one(double tokens) {
  const double capped = std::min(tokens, static_cast<double>(largest_count));
  return std::max<std::int64_t>(1, std::llround(capped));
}

}  // namespace

Parsed<LengthDistribution> LengthDistribution::constant(std::int64_t tokens) {
  if (is_length(tokens)) return LengthDistribution(tokens);
  return out_of_range(fmt::format("a length of {} tokens is not in 1..{}", tokens, largest_count));
}

Parsed<LengthDistribution> LengthDistribution::lognormal(double mean, double p95) {
  if (!is_length(mean)) {
    return out_of_range(fmt::format("a mean of {} tokens is not in 1..{}", mean, largest_count));
  }
  // p95 / mean = exp(z sigma - sigma^2 / 2), which has its maximum at sigma = z.
  const double highest = std::exp(0.5 * z95 * z95);
  if (!(p95 > mean && p95 <= highest * mean)) {
    return out_of_range(
        fmt::format("no lognormal has mean {} and p95 {}: p95 must lie above the mean and at most "
                    "at {:.0f}",
                    mean, p95, std::floor(highest * mean)));
  }
  const double sigma = z95 - std::sqrt(std::max(0.0, z95 * z95 - 2 * std::log(p95 / mean)));
  return LengthDistribution(Lognormal{std::log(mean) - 0.5 * sigma * sigma, sigma});
}

Parsed<LengthDistribution> LengthDistribution::uniform(std::int64_t low, std::int64_t high) {
  if (is_length(low) && is_length(high) && low <= high) {
    return LengthDistribution(Uniform{low, high});
  }
  return out_of_range(fmt::format("{}..{} is not a range within 1..{}", low, high, largest_count));
}

Parsed<LengthDistribution> LengthDistribution::exponential(double mean, std::int64_t max) {
  if (!is_length(mean) || !is_length(max)) {
    return out_of_range(
        fmt::format("mean {} and max {} are not both in 1..{}", mean, max, largest_count));
  }
  const auto cut = static_cast<double>(max);
  if (!(mean < 0.5 * cut)) {
    return out_of_range(fmt::format(
        "an exponential cut at {} has a mean below {}, not {}; use uniform", max, 0.5 * cut, mean));
  }
  const double scale = scale_for(mean, cut);
  return LengthDistribution(Exponential{scale, -std::expm1(-cut / scale), max});
}

Parsed<LengthDistribution> LengthDistribution::empirical(std::vector<std::int64_t> counts,
                                                         std::string source) {
  if (counts.empty()) return ParseFailure{"there are no lengths to draw from", "empty-lengths"};
  for (const std::int64_t count : counts) {
    if (!is_length(count)) return constant(count);
  }
  return LengthDistribution(Table{
      std::make_shared<const std::vector<std::int64_t>>(std::move(counts)), std::move(source)});
}

std::int64_t LengthDistribution::draw(RandomStream& random) const {
  struct Draw {
    RandomStream& random;
    std::int64_t operator()(std::int64_t tokens) const { return tokens; }
    std::int64_t operator()(const Lognormal& d) const {
      return at_least_one(std::exp(d.mu + d.sigma * random.normal()));
    }
    std::int64_t operator()(const Uniform& d) const { return random.uniform_int(d.low, d.high); }
    std::int64_t operator()(const Exponential& d) const {
      // Inverse of the truncated distribution function.
      const double tokens = -d.scale * std::log1p(-d.covered * random.uniform());
      return std::min(d.max, at_least_one(tokens));
    }
    std::int64_t operator()(const Table& d) const {
      const auto last = static_cast<std::int64_t>(d.counts->size()) - 1;
      return (*d.counts)[static_cast<std::size_t>(random.uniform_int(0, last))];
    }
  };
  return std::visit(Draw{random}, shape_);
}

std::optional<std::int64_t> LengthDistribution::constant_tokens() const {
  if (const auto* tokens = std::get_if<std::int64_t>(&shape_)) return *tokens;
  return std::nullopt;
}

LengthSampler::LengthSampler(std::uint64_t seed, LengthDistribution prompt,
                             LengthDistribution output)
    : prompt_(std::move(prompt)),
      output_(std::move(output)),
      prompt_random_(seed, "lengths/prompt"),
      output_random_(seed, "lengths/output"),
      joint_(false) {
  const auto* a = std::get_if<LengthDistribution::Table>(&prompt_.shape_);
  const auto* b = std::get_if<LengthDistribution::Table>(&output_.shape_);
  joint_ = a && b && !a->source.empty() && a->source == b->source &&
           a->counts->size() == b->counts->size();
}

LengthSampler::Lengths LengthSampler::next() {
  if (!joint_) return {prompt_.draw(prompt_random_), output_.draw(output_random_)};
  RandomStream same_row = prompt_random_;
  return {prompt_.draw(prompt_random_), output_.draw(same_row)};
}

}  // namespace gpucap::workload

#pragma once

#include "gpucap/core/random.hpp"
#include "gpucap/units/parse.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gpucap::workload {

/// How many tokens a prompt or an answer has. Every draw is a whole number of at least 1: real
/// draws are rounded to the nearest one. An impossible distribution cannot be built; the factories
/// say why.
class LengthDistribution {
 public:
  static Parsed<LengthDistribution> constant(std::int64_t tokens);
  /// Solved from what people know: the mean and the 95th percentile, which must lie above the mean
  /// and at most exp(z^2 / 2) = 3.87 times as high (z = 1.645); of the two solutions for sigma the
  /// smaller, whose median is nearer to the mean.
  static Parsed<LengthDistribution> lognormal(double mean, double p95);
  /// Both ends included, all equally likely.
  static Parsed<LengthDistribution> uniform(std::int64_t low, std::int64_t high);
  /// Exponential whose draws above `max` never happen (truncated, not piled up at `max`); `mean` is
  /// that of the draws, so it must lie below max / 2.
  static Parsed<LengthDistribution> exponential(double mean, std::int64_t max);
  /// One of the given counts, each row equally likely. Two distributions with the same non-empty
  /// `source` are columns of one table (LengthSampler).
  static Parsed<LengthDistribution> empirical(std::vector<std::int64_t> counts,
                                              std::string source = "");

  std::int64_t draw(RandomStream& random) const;

  /// The length when every draw is the same by construction.
  [[nodiscard]] std::optional<std::int64_t> constant_tokens() const;

 private:
  friend class LengthSampler;
  struct Lognormal {
    double mu, sigma;
  };
  struct Uniform {
    std::int64_t low, high;
  };
  struct Exponential {
    double scale;    ///< mean of the exponential before truncation
    double covered;  ///< its probability of lying below `max`
    std::int64_t max;
  };
  struct Table {
    std::shared_ptr<const std::vector<std::int64_t>> counts;
    std::string source;
  };
  using Shape = std::variant<std::int64_t, Lognormal, Uniform, Exponential, Table>;

  explicit LengthDistribution(Shape shape) : shape_(std::move(shape)) {}
  Shape shape_;
};

/// Reads `1500`, `lognormal:mean=1500,p95=2600`, `uniform:100..200`, `exponential:mean=201,max=900`
/// or `empirical:FILE[,column=NAME]`. FILE has one count per line, or columns separated by commas
/// under a header line, of which one is named (or numbered from 1); it may be gzip or zstd. What is
/// wrong inside FILE is a failure too, with its line.
Parsed<LengthDistribution> parse_lengths(std::string_view text);

/// Draws prompt and output lengths of request after request, from the streams "lengths/prompt" and
/// "lengths/output". Two columns of one empirical file are drawn row by row, which keeps their
/// correlation; everything else is independent.
class LengthSampler {
 public:
  LengthSampler(std::uint64_t seed, LengthDistribution prompt, LengthDistribution output);

  struct Lengths {
    std::int64_t prompt_tokens;
    std::int64_t output_tokens;
  };
  Lengths next();

 private:
  LengthDistribution prompt_, output_;
  RandomStream prompt_random_, output_random_;
  bool joint_;
};

}  // namespace gpucap::workload

#include "gpucap/metrics/quantile_sample.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace gpucap::metrics {
namespace {

constexpr std::array<std::int64_t, 4> percents = {50, 90, 95, 99};

template <class Value>
using Quantiles = std::array<Value, percents.size()>;

/// Position in rising order, from 1.
std::int64_t rank_of(std::int64_t percent, std::int64_t n) {
  return (n * percent + 99) / 100;
}

/// A whole number of nanoseconds in the middle; of an even width the upper of two.
void set_middle(SimTime& value, DurationHistogram::Range range) {
  value = {range.low + range.width / 2};
}
/// Ratios fill the range up to the next one.
void set_middle(Seconds& value, DurationHistogram::Range range) {
  value = (static_cast<double>(range.low) + 0.5 * static_cast<double>(range.width)) * unit::ns;
}

void append_steps(const record::TokenGaps& run, std::vector<SimTime>& values) {
  Ticks gap = run.first;
  for (std::int64_t i = 0; i < run.steps; ++i, gap += run.growth) {
    values.insert(values.end(), static_cast<std::size_t>(run.count), shown(gap));
  }
}

double seconds(SimTime value) {
  return as_seconds(value);
}
double seconds(Seconds value) {
  return value.in(unit::s);
}

/// Each selection leaves the greater values behind it, where the next one goes on.
template <class Value>
Quantiles<Value> selected(std::vector<Value> values) {
  Quantiles<Value> found;
  auto from = values.begin();
  for (std::size_t i = 0; i < percents.size(); ++i) {
    const auto rank = rank_of(percents[i], static_cast<std::int64_t>(values.size()));
    const auto at = values.begin() + (rank - 1);
    std::nth_element(from, at, values.end());
    found[i] = *at;
    from = at;
  }
  return found;
}

template <class Value>
Quantiles<Value> estimated(const DurationHistogram& histogram, std::int64_t n) {
  Quantiles<Value> found;
  for (std::size_t i = 0; i < percents.size(); ++i) {
    set_middle(found[i], histogram.at_rank(rank_of(percents[i], n)));
  }
  return found;
}

}  // namespace

template <class Value>
void QuantileSample<Value>::add(
    const record::TokenGaps& run) requires std::same_as<Value, SimTime> {
  if (run.count <= 0 || run.steps <= 0) return;
  const Ticks last = run.first + run.growth * (run.steps - 1);
  const auto [least, greatest] = std::minmax({shown(run.first), shown(last)});
  // (first + last) steps is even: either steps is, or first + last = 2 first + an even multiple.
  const Ticks sum{(run.first + last).count * run.steps / 2 * run.count};
  if (!make_room(run.steps * run.count, least, greatest, sum)) return histogram_.add(run);
  keep(run);
}

template <class Value>
void QuantileSample<Value>::keep(
    const record::TokenGaps& run) requires std::same_as<Value, SimTime> {
  constexpr std::int64_t worth_a_run = sizeof(run) / sizeof(Value);  // as many take its memory
  if (run.steps * run.count > worth_a_run) {
    runs_.push_back(run);
  } else {
    append_steps(run, values_);
  }
}

template <class Value>
void QuantileSample<Value>::merge(const QuantileSample& other) {
  if (other.n_ == 0) return;
  if (make_room(other.n_, other.least_, other.greatest_, other.sum_)) {
    values_.insert(values_.end(), other.values_.begin(), other.values_.end());
    runs_.insert(runs_.end(), other.runs_.begin(), other.runs_.end());
    return;
  }
  for (const Value value : other.values_) histogram_.add(whole_ns(value), 1);
  for (const record::TokenGaps& run : other.runs_) histogram_.add(run);
  histogram_.add(other.histogram_);
}

template <class Value>
void QuantileSample<Value>::spill() {
  for (const Value value : std::exchange(values_, {})) histogram_.add(whole_ns(value), 1);
  for (const record::TokenGaps& run : std::exchange(runs_, {})) histogram_.add(run);
}

template <class Value>
std::vector<Value> QuantileSample<Value>::kept() const {
  std::vector<Value> values;
  values.reserve(static_cast<std::size_t>(n_));
  values.insert(values.end(), values_.begin(), values_.end());
  if constexpr (std::same_as<Value, SimTime>) {
    for (const record::TokenGaps& run : runs_) append_steps(run, values);
  }
  return values;
}

template <class Value>
void QuantileSample<Value>::refuse_negative() {
  throw std::logic_error("a duration is below zero");
}

template <class Value>
Summary QuantileSample<Value>::summary() const {
  Summary summary;
  summary.n = n_;
  if (n_ == 0) return summary;
  Quantiles<Value> found = exact() ? selected(kept()) : estimated<Value>(histogram_, n_);
  for (Value& value : found) value = std::clamp(value, least_, greatest_);
  summary.p50 = seconds(found[0]);
  summary.p90 = seconds(found[1]);
  summary.p95 = seconds(found[2]);
  summary.p99 = seconds(found[3]);
  summary.max = seconds(greatest_);
  // Of equal values the mean could come out a last bit above them.
  summary.mean = std::min(as_seconds(sum_) / static_cast<double>(n_), *summary.max);
  if (!exact()) summary.quantile_error = DurationHistogram::relative_half_width;
  return summary;
}

template class QuantileSample<SimTime>;
template class QuantileSample<Seconds>;

}  // namespace gpucap::metrics

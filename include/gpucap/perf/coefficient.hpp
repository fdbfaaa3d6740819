#pragma once

#include "gpucap/perf/calibration.hpp"
#include "gpucap/units/quantity.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpucap::perf {

/// One number of a fitted form, as a file and a reader see it.
struct Coefficient {
  std::string key;     ///< in the part's JSON object: "t0"
  std::string symbol;  ///< in `fit.parameters`, its unit at the end: "t0_us"
  /// Of the numbers below: "us", "ns", "MB", "GB/s"; "count" and "flag" (yes or no) are never
  /// fitted; empty = plain.
  std::string unit;
  double start = 1, low = 0, high = 0;
  /// Found on all launches, L2-warm ones too, before the others: cold ones hardly determine it.
  bool from_all_launches = false;
  bool prior = false;             ///< no table of launches determines it: a plan states it
  double absent = 0;              ///< value of a part that has no such term: the struct's own
  std::optional<double> known{};  ///< in the calibration that is in force for the card
};

/// The same, and where it stands in the form's struct.
template <class Fit>
struct Bound : Coefficient {
  std::function<void(Fit&, double)> put;
  std::function<double(const Fit&)> get;

  Bound as_prior() && {
    prior = true;
    return std::move(*this);
  }
  Bound on_all_launches() && {
    from_all_launches = true;
    return std::move(*this);
  }
};

/// Range in which a coefficient is sought, and where the search starts: a guess that does not
/// decide the result.
struct Range {
  double start, low, high;
};

template <class Fit>
Bound<Fit> plain(std::string key, Range range, double Fit::*field) {
  return {{key, key, "", range.start, range.low, range.high},
          [field](Fit& fit, double value) { fit.*field = value; },
          [field](const Fit& fit) { return fit.*field; }};
}

/// A share of a nominal figure; it may beat that by the measuring tolerance. The start lies below
/// what any power cap leaves: above it a share of the peak has no effect.
template <class Fit>
Bound<Fit> share(std::string key, double Fit::*field) {
  return plain(std::move(key), {0.5, 0.02, 1.02}, field);
}

template <class Fit, class Quantity>
Bound<Fit> physical(std::string key, std::string symbol, std::string unit_name, Quantity unit,
                    Range range, Quantity Fit::*field) {
  return {
      {std::move(key), std::move(symbol), std::move(unit_name), range.start, range.low, range.high},
      [field, unit](Fit& fit, double value) { fit.*field = value * unit; },
      [field, unit](const Fit& fit) { return (fit.*field).in(unit); }};
}

/// A duration in microseconds: from a picosecond, as good as none, to ten milliseconds.
template <class Fit>
Bound<Fit> microseconds(const std::string& key, double start, Seconds Fit::*field) {
  return physical(key, key + "_us", "us", unit::us, {start, 1e-6, 1e4}, field);
}

template <class Fit>
Bound<Fit> nanoseconds(const std::string& key, const std::string& symbol, double start,
                       Seconds Fit::*field) {
  return physical(key, symbol, "ns", unit::ns, {start, 1e-6, 1e7}, field);
}

// The coefficients of each form. To give a form one more, add one line to its list in
// perf/coefficients.cpp; the reader of the fit file is catalog/fit_parts.cpp.
std::vector<Bound<GemmFit>> gemm_coefficients();
std::vector<Bound<PrefillAttentionFit>> prefill_coefficients();
std::vector<Bound<DecodeAttentionFit>> decode_coefficients();
std::vector<Bound<MixedAttentionFit>> mixed_coefficients();
std::vector<Bound<SamplerFit>> sampler_coefficients();

}  // namespace gpucap::perf

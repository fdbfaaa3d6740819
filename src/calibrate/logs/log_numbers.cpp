#include "log_numbers.hpp"

#include "gpucap/hardware/measuring_tolerance.hpp"
#include "gpucap/perf/draw.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace gpucap::calibrate {
namespace {

using models::ProductKernels;
using perf::Calibration;
using Host = perf::EngineProfile::Host;

constexpr double half_of_middle_80_percent = 1.2815515655446004;  // normal quantile of 0.9
constexpr double host_deviation = 0.7;    // where no interval is stated: a factor of two either way
constexpr double least_deviation = 0.05;  // of a share: no two cards of one type are nearer

/// A share may beat its nominal figure by the measuring tolerance.
double scaled_share(double share, double factor) {
  return std::min(share * factor, std::max(share, 1 + hardware::measuring_tolerance));
}

struct HostTerm {
  LogNumber number;
  const char* key;
  const char* meaning;
  const char* unit_name;
  Seconds unit;
  Seconds Host::*field;
  double usual;  ///< in `unit`: the step away from zero
};

const HostTerm& host_term(LogNumber number) {
  static const std::vector<HostTerm> terms{
      {LogNumber::gap, "gap", "host time of a step", "us", unit::us, &Host::gap, 700},
      {LogNumber::gap_per_sequence, "gap_per_sequence", "host time of a step per sequence", "us",
       unit::us, &Host::gap_per_sequence, 15},
      {LogNumber::front_end, "front_end", "host time of a request before it is scheduled", "ms",
       unit::ms, &Host::front_end, 5}};
  const auto found = std::find_if(terms.begin(), terms.end(),
                                  [&](const HostTerm& term) { return term.number == number; });
  if (found == terms.end()) throw std::logic_error("a share is no host time");
  return *found;
}

/// Half of the logarithm of a stated middle 80 %; the upper half where the lower end is zero.
double host_prior(const perf::EngineProfile& engine, const HostTerm& term) {
  const auto found = engine.intervals.find(fmt::format("host.{}", term.key));
  const double value = (engine.host.*term.field).base();
  if (found == engine.intervals.end() || value <= 0) return host_deviation;
  const auto [low, high] = found->second;
  if (!(high > value)) return host_deviation;
  const double reach = low > 0 ? std::log(high / low) / 2 : std::log(high / value);
  return reach / half_of_middle_80_percent;
}

LogKnob host_knob(LogNumber number, const plan::ServingQuestion& question) {
  const HostTerm& term = host_term(number);
  const perf::EngineProfile& engine = question.engine.profile;
  LogKnob knob{number, term.key, term.meaning, term.unit_name};
  knob.before = (engine.host.*term.field).in(term.unit);
  knob.deviation = host_prior(engine, term);
  if (knob.before > 0) {
    knob.low = 0.02;
    knob.high = 50;
  } else {
    knob.from_zero = term.usual;
    knob.low = 1;
    knob.high = 50;
  }
  return knob;
}

bool by_gguf(const plan::ServingQuestion& question) {
  return question.engine.weights.kernels == ProductKernels::gguf &&
         question.calibration.formats.contains(ProductKernels::gguf);
}

/// What fits, laboratories and loans leave open of a part's rates.
double share_prior(const Calibration& fits, const perf::FitOrigin& origin) {
  return std::max(least_deviation, std::hypot(fits.between_labs, perf::systematic_spread(origin)));
}

LogKnob share_knob(LogNumber number, const plan::ServingQuestion& question) {
  const Calibration& fits = question.calibration;
  const bool arithmetic = number == LogNumber::ec;
  LogKnob knob{number, arithmetic ? "ec" : "eb",
               arithmetic ? "share of the peak in products" : "share of the bandwidth in products",
               ""};
  if (by_gguf(question)) {
    const perf::FormatFit& gguf = fits.formats.at(ProductKernels::gguf);
    knob.before = arithmetic ? gguf.product.ec : gguf.product.eb;
    knob.deviation = share_prior(fits, gguf.origin);
  } else {
    knob.before = arithmetic ? fits.gemm.ec : fits.gemm.eb;
    knob.deviation = share_prior(fits, fits.gemm_origin);
  }
  knob.low = 0.1;
  knob.high = std::max(1.0, (1 + hardware::measuring_tolerance) / knob.before);
  return knob;
}

void scale_peak(Calibration& fits, double factor) {
  fits.gemm.ec = scaled_share(fits.gemm.ec, factor);
  fits.prefill.ec = scaled_share(fits.prefill.ec, factor);
  if (!fits.mixed) return;
  fits.mixed->prefill_rate = scaled_share(fits.mixed->prefill_rate, factor);
  fits.mixed->decode_rate = scaled_share(fits.mixed->decode_rate, factor);
}

void scale_bandwidth(Calibration& fits, double factor) {
  fits.gemm.eb = scaled_share(fits.gemm.eb, factor);
  fits.decode.eb = scaled_share(fits.decode.eb, factor);
  fits.prefill.eb = scaled_share(fits.prefill.eb, factor);
  if (fits.mixed) fits.mixed->eb = scaled_share(fits.mixed->eb, factor);
}

}  // namespace

LogKnob knob_of(LogNumber number, const plan::ServingQuestion& question) {
  if (number == LogNumber::ec || number == LogNumber::eb) return share_knob(number, question);
  return host_knob(number, question);
}

void turn(const LogKnob& knob, double factor, plan::ServingQuestion& question) {
  Calibration& fits = question.calibration;
  if (knob.number != LogNumber::ec && knob.number != LogNumber::eb) {
    const HostTerm& term = host_term(knob.number);
    question.engine.profile.host.*term.field = knob.value(factor) * term.unit;
  } else if (by_gguf(question)) {
    auto& product = fits.formats.at(ProductKernels::gguf).product;
    double& share = knob.number == LogNumber::ec ? product.ec : product.eb;
    share = scaled_share(share, factor);
  } else if (knob.number == LogNumber::ec) {
    scale_peak(fits, factor);
  } else {
    scale_bandwidth(fits, factor);
  }
}

std::vector<LogNumber> sought_in(const LoggedCase& logged, std::vector<std::string>& left) {
  const plan::ServingQuestion& asked = logged.planned.plan.question;
  const ProductKernels kernels = asked.engine.weights.kernels;
  const bool single_stream = asked.engine.profile.fixed_max_num_seqs == 1;
  std::vector<LogNumber> sought;
  if (kernels != ProductKernels::plain && !by_gguf(asked)) {
    left.push_back(fmt::format("ec, eb: products of {} weights are no part of such a file",
                               asked.engine.weights.name));
  } else if (asked.model.experts) {
    left.emplace_back("ec, eb: products of routed experts are no part of such a file");
  } else {
    sought = {LogNumber::ec, LogNumber::eb};
  }
  if (single_stream) {
    left.emplace_back("host times: one stream's step holds them in full and shows none of them");
  } else {
    sought.insert(sought.end(),
                  {LogNumber::gap, LogNumber::gap_per_sequence, LogNumber::front_end});
  }
  left.emplace_back(
      "floor_per_layer, per_sequence of the engine; start costs, tiles and traffic terms of the "
      "kernels; exchanges between cards; power: no figure of such a log depends on one of them "
      "alone");
  return sought;
}

}  // namespace gpucap::calibrate

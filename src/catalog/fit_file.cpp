#include "fit_file.hpp"

#include "gpucap/hardware/measuring_tolerance.hpp"

#include <cmath>

#include <fmt/format.h>

namespace gpucap::catalog {
namespace {

using hardware::measuring_tolerance;

constexpr double least_fraction = 1e-4;
constexpr Seconds longest_cost = 1 * unit::s;

std::string file_name(const std::string& card, const std::string& what) {
  return fmt::format("{}/{}-{}.json", fits_folder, card, what);
}

template <class Q>
void check_same(ObjectReader& reader, std::string_view key, std::optional<Q> fitted, Q spec) {
  if (!fitted || std::fabs(fitted->base() / spec.base() - 1) <= measuring_tolerance) return;
  reader.problem(
      key,
      fmt::format("the spec sheet has {:.4g} times this: the fractions of the fit belong "
                  "to another nominal figure; rescale or refit",
                  spec.base() / fitted->base()),
      "spec-mismatch");
}

void read_error(ObjectReader error, perf::FitQuality& quality) {
  quality.held_out_points = error.required("points", error.count("points"));
  quality.median_error = positive(error, "median_error");
  quality.p95_error = positive(error, "p95_error");
  quality.bias = error.number("bias").value_or(0);
  quality.spread = error.number("spread").value_or(0);
  if (quality.spread < 0) error.problem("spread", "must not be negative", "out-of-range");
  error.text("range");
  error.finish();
}

void read_standard_errors(ObjectReader& fit, perf::FitQuality& quality) {
  const std::vector<std::string> names = fit.texts("parameters");
  const std::vector<double> errors = fit.numbers("standard_errors");
  const std::vector<double> correlation = fit.numbers("correlation_below_diagonal");
  if (errors.size() != names.size()) {
    fit.problem("standard_errors", "must have one number for each of \"parameters\"", "wrong-size");
    return;
  }
  if (correlation.size() != names.size() * (names.size() - (names.empty() ? 0 : 1)) / 2) {
    fit.problem("correlation_below_diagonal", "must have one number for each pair of parameters",
                "wrong-size");
  }
  for (std::size_t i = 0; i < names.size(); ++i) quality.standard_errors[names[i]] = errors[i];
  quality.parameters = names;
  quality.correlation = correlation;
}

}  // namespace

FitFile::FitFile(const std::filesystem::path& data_dir, const std::string& card,
                 const std::string& what, const hardware::Gpu& asked)
    : name_(file_name(card, what)),
      card_(card),
      own_(card == asked.id),
      document_(JsonDocument::read((data_dir / name_).string())),
      root_(document_) {
  check_head(asked);
}

/// `arithmetic` names the format of the peak where it is not 16-bit.
std::optional<FlopRate> FitFile::peak_of(ObjectReader& head, const hardware::Gpu& asked) {
  const auto word = head.text("arithmetic");
  if (!word) return asked.product_peak();
  const auto dtype = parse_dtype(*word);
  if (!dtype) {
    head.problem("arithmetic", fmt::format("unknown dtype \"{}\"", *word), "unknown-name");
    return std::nullopt;
  }
  if (bits(*dtype) >= 16) return asked.product_peak();
  const auto found = asked.dense_peak.find(*dtype);
  return found == asked.dense_peak.end() ? std::nullopt : std::optional(found->second);
}

FitFile::FitFile(JsonDocument document, const hardware::Gpu& card)
    : name_(document.file()),
      card_(card.id),
      own_(true),
      document_(std::move(document)),
      root_(document_) {
  check_head(card);
}

void FitFile::check_head(const hardware::Gpu& asked) {
  if (root_.required("card", root_.text("card")) != card_ && root_.has("card")) {
    root_.problem("card", fmt::format("must be \"{}\", as the file is named", card_), "wrong-name");
  }
  ObjectReader head = part("fitted_with");
  const auto peak = head.quantity("peak", parse_flop_rate);
  const auto bandwidth = head.quantity("bandwidth", parse_bandwidth);
  head.required("peak", peak);
  head.required("bandwidth", bandwidth);
  const auto spec = peak_of(head, asked);
  head.finish();
  if (!own_) return;
  if (spec) check_same(head, "peak", peak, *spec);
  check_same(head, "bandwidth", bandwidth, asked.memory_bandwidth);
}

ObjectReader FitFile::part(std::string_view key) {
  if (auto object = root_.object(key)) return *object;
  if (!root_.has(key)) {
    document_.add_problem("", fmt::format("\"{}\" is missing", key), "missing-key");
  }
  document_.throw_if_problems();  // nothing below can be read without the part
  return root_;
}

perf::FitOrigin FitFile::origin(ObjectReader& part) const {
  perf::FitOrigin origin;
  origin.file = name_;
  origin.card = card_;
  origin.source = part.required("source", part.text("source"));
  origin.measured = part.flag("measured").value_or(true) && own_;
  origin.quality = read_quality(part);
  return origin;
}

void FitFile::close() {
  root_.finish();
  document_.throw_if_problems();
}

double fraction(ObjectReader& reader, std::string_view key) {
  const double value = positive(reader, key);
  if (value > 1 + measuring_tolerance) {
    reader.problem(key,
                   fmt::format("must be at most {} of the nominal figure, not {}",
                               1 + measuring_tolerance, value),
                   "out-of-range");
  }
  if (value > 0 && value < least_fraction) {
    reader.problem(key,
                   fmt::format("must be at least {} of the nominal figure, not {}: no kernel that "
                               "is fit for use is so slow",
                               least_fraction, value),
                   "out-of-range");
  }
  return value;
}

double positive(ObjectReader& reader, std::string_view key) {
  const auto value = reader.number(key);
  if (value && *value <= 0) reader.problem(key, "must be above zero", "out-of-range");
  return reader.required(key, value);
}

double not_negative(ObjectReader& reader, std::string_view key) {
  const auto value = reader.number(key);
  if (value && *value < 0) reader.problem(key, "must not be negative", "out-of-range");
  return reader.required(key, value);
}

Seconds duration(ObjectReader& reader, std::string_view key) {
  const auto value = reader.quantity(key, parse_duration);
  if (value && *value < Seconds{}) reader.problem(key, "must not be negative", "out-of-range");
  if (value && *value > longest_cost) {
    reader.problem(key, "must be at most a second: no start cost is longer", "out-of-range");
  }
  return reader.required(key, value);
}

std::optional<perf::FitQuality> read_quality(ObjectReader& part) {
  auto fit = part.object("fit");
  if (!fit) return std::nullopt;
  perf::FitQuality quality;
  quality.points = fit->required("points", fit->count("points"));
  if (auto held_out = fit->object("held_out")) {
    read_error(std::move(*held_out), quality);
  } else if (!fit->has("held_out")) {
    fit->problem("held_out", "is missing: a fit states its error on unseen points", "missing-key");
  }
  perf::FitQuality elsewhere;  // other ranges are for readers of the file; checked, not kept
  for (ObjectReader& range : fit->objects("also")) read_error(std::move(range), elsewhere);
  read_standard_errors(*fit, quality);
  if (auto refused = fit->object("refused")) {
    for (const std::string& reason : refused->keys()) refused->count(reason);
    refused->finish();
  }
  fit->text("points_used");
  fit->texts("tables");
  fit->finish();
  return quality;
}

}  // namespace gpucap::catalog

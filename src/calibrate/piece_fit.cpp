#include "piece_fit.hpp"

#include "gpucap/calibrate/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace gpucap::calibrate {
namespace {

using perf::CollectiveFit;
using Kernel = perf::Work (*)(const CollectiveFit&, Bytes);

constexpr std::size_t points_for_bend = 4;  // fewer determine a straight line only
constexpr std::size_t points_for_line = 3;

Kernel kernel_of(const std::string& collective) {
  static const std::map<std::string, Kernel> kernels = {
      {"all_reduce", perf::all_reduce},         {"all_gather", perf::all_gather},
      {"reduce_scatter", perf::reduce_scatter}, {"alltoall", perf::all_to_all},
      {"all_to_all", perf::all_to_all},         {"send_recv", perf::send_recv}};
  return kernels.at(collective);
}

Seconds piece_time(const std::string& collective, int ranks, const CollectivePiece& piece,
                   Bytes payload) {
  CollectiveFit fit;
  fit.ranks = ranks;
  fit.alpha = piece.alpha;
  fit.busbw = piece.busbw;
  fit.q = piece.q;
  return kernel_of(collective)(fit, payload).time();
}

std::vector<CollectivePiece> pieces_of(std::span<const double> values, std::size_t each) {
  std::vector<CollectivePiece> pieces;
  for (std::size_t i = 0; i + each <= values.size(); i += each) {
    pieces.push_back({std::nullopt, values[i] * unit::us, values[i + 1] * unit::GB_per_s,
                      each > 2 ? values[i + 2] : 1});
  }
  return pieces;
}

Observations observations(std::span<const CollectiveSample> samples) {
  Observations seen;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    seen.log_measured.push_back(std::log(samples[i].measured.time.base()));
    seen.weight.push_back(1);
    seen.cluster.push_back(i);
  }
  return seen;
}

/// A straight line through the first and the last sample, as far as it rises.
std::vector<Unknown> line_through(const PayloadCurve& curve,
                                  std::span<const CollectiveSample> samples) {
  const CollectiveSample& first = samples.front();
  const CollectiveSample& last = samples.back();
  // What a rank sends, from a set whose transfer alone counts.
  const CollectivePiece wire{std::nullopt, Seconds{}, unit::GB_per_s, 1};
  const double sent = piece_time(curve.collective, curve.ranks, wire, last.payload).base() -
                      piece_time(curve.collective, curve.ranks, wire, first.payload).base();
  const double rise = (last.measured.time - first.measured.time).in(unit::us);
  const double rate = std::clamp(sent * 1e6 / std::max(rise, 1e-3), 0.01, 5000.0);
  return {{std::max(0.5 * first.measured.time.in(unit::us), 0.1), 1e-3, 1e6}, {rate, 1e-3, 1e4}};
}

void keep_digits(std::vector<CollectivePiece>& pieces) {
  for (CollectivePiece& piece : pieces) {
    piece.alpha = kept(piece.alpha.in(unit::us)) * unit::us;
    piece.busbw = kept(piece.busbw.in(unit::GB_per_s)) * unit::GB_per_s;
    piece.q = kept(piece.q);
  }
}

/// One piece: alpha, bandwidth and, where there are points enough, the exponent.
CollectivePiece fit_piece(const PayloadCurve& curve, std::span<const CollectiveSample> samples) {
  std::vector<Unknown> unknowns = line_through(curve, samples);
  if (samples.size() >= points_for_bend) unknowns.push_back({1, 0.3, 20});
  const std::size_t each = unknowns.size();
  const LogModel model = [&](std::span<const double> values, std::span<double> out) {
    const CollectivePiece piece = pieces_of(values, each).front();
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] =
          std::log(piece_time(curve.collective, curve.ranks, piece, samples[i].payload).base());
    }
  };
  auto pieces = pieces_of(least_squares(unknowns, observations(samples), model).values, each);
  keep_digits(pieces);
  return pieces.front();
}

std::optional<std::vector<CollectivePiece>> between_limits(const PayloadCurve& curve,
                                                           const std::vector<Bytes>& limits) {
  std::vector<CollectivePiece> pieces;
  auto from = curve.samples.begin();
  for (std::size_t i = 0; i <= limits.size(); ++i) {
    const auto to = i == limits.size()
                        ? curve.samples.end()
                        : std::find_if(from, curve.samples.end(), [&](const auto& sample) {
                            return sample.payload >= limits[i];
                          });
    const std::span<const CollectiveSample> inside(from, to);
    if (inside.size() < points_for_line) return std::nullopt;
    pieces.push_back(fit_piece(curve, inside));
    if (i < limits.size()) pieces.back().below = limits[i];
    from = to;
  }
  return pieces;
}

/// Payload at which a line with a later start but more bandwidth overtakes; sent bytes go with the
/// payload, so one payload's figures give the ratio.
Bytes crossing(const PayloadCurve& curve, const CollectivePiece& now,
               const CollectivePiece& later) {
  const auto per_byte = [&](const CollectivePiece& piece) {
    const CollectivePiece wire{std::nullopt, Seconds{}, piece.busbw, 1};
    return piece_time(curve.collective, curve.ranks, wire, unit::GB).base() / unit::GB.base();
  };
  return (later.alpha - now.alpha).base() / (per_byte(now) - per_byte(later)) * unit::byte;
}

/// The lines that are lowest somewhere, by rising payload, each with the limit where the next one
/// takes over.
std::vector<CollectivePiece> envelope(const PayloadCurve& curve,
                                      const std::vector<CollectivePiece>& lines) {
  CollectivePiece now = *std::min_element(
      lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.alpha < b.alpha; });
  std::vector<CollectivePiece> result;
  while (true) {
    std::optional<CollectivePiece> next;
    Bytes limit;
    for (const CollectivePiece& line : lines) {
      if (line.busbw <= now.busbw) continue;
      const Bytes at = crossing(curve, now, line);
      if (!next || at < limit) next = line, limit = at;
    }
    if (next) now.below = kept(limit.base()) * unit::byte;
    result.push_back(now);
    if (!next) return result;
    now = *next;
  }
}

std::optional<std::vector<CollectivePiece>> lower_lines(const PayloadCurve& curve,
                                                        std::size_t count) {
  const std::size_t share = curve.samples.size() / count;
  if (share < points_for_line) return std::nullopt;
  std::vector<Unknown> unknowns;
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = curve.samples.begin() + static_cast<std::ptrdiff_t>(i * share);
    const auto start = line_through(curve, {begin, share});
    unknowns.insert(unknowns.end(), start.begin(), start.end());
  }
  const LogModel model = [&](std::span<const double> values, std::span<double> out) {
    const auto lines = pieces_of(values, 2);
    for (std::size_t i = 0; i < out.size(); ++i) {
      double least = std::numeric_limits<double>::infinity();
      for (const CollectivePiece& line : lines) {
        least = std::min(
            least,
            piece_time(curve.collective, curve.ranks, line, curve.samples[i].payload).base());
      }
      out[i] = std::log(least);
    }
  };
  auto lines = pieces_of(least_squares(unknowns, observations(curve.samples), model).values, 2);
  keep_digits(lines);
  return envelope(curve, lines);
}

}  // namespace

Seconds collective_time(const std::string& collective, int ranks,
                        const std::vector<CollectivePiece>& pieces, Bytes payload) {
  const auto piece = std::find_if(pieces.begin(), pieces.end(), [&](const auto& candidate) {
    return !candidate.below || payload < *candidate.below;
  });
  return piece_time(collective, ranks, *piece, payload);
}

std::optional<std::vector<CollectivePiece>> fit_pieces(const PayloadCurve& curve,
                                                       const PieceForm& form) {
  return form.lines > 0 ? lower_lines(curve, form.lines) : between_limits(curve, form.limits);
}

std::optional<double> left_out_error(const PayloadCurve& curve, const PieceForm& form) {
  constexpr double most = 0.3;  // one wild point must not choose the form
  double sum = 0;
  const std::size_t count = curve.samples.size();
  for (std::size_t i = 1; i + 1 < count; ++i) {
    PayloadCurve others = curve;
    others.samples.erase(others.samples.begin() + static_cast<std::ptrdiff_t>(i));
    const auto pieces = fit_pieces(others, form);
    if (!pieces) return std::nullopt;
    const CollectiveSample& left_out = curve.samples[i];
    const Seconds time = collective_time(curve.collective, curve.ranks, *pieces, left_out.payload);
    sum += std::min(most, std::fabs(std::log(time / left_out.measured.time)));
  }
  return sum / static_cast<double>(count - 2);
}

}  // namespace gpucap::calibrate

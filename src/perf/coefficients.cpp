#include "gpucap/perf/coefficient.hpp"

namespace gpucap::perf {
namespace {

/// Exponent of a p-norm of two bounds: 1 adds them, 20 is as good as a maximum.
constexpr Range exponent = {2, 0.2, 20};
/// A share that may vanish.
constexpr Range share_or_none = {0.1, 1e-7, 1};
/// KV tokens worth of other work.
constexpr Range tokens = {150, 1e-4, 1e4};

/// A number of the tiles that every fitted product has.
Bound<GemmFit> tile_number(const std::string& key, Range range, double GemmTiles::*field) {
  return {{key, key, "", range.start, range.low, range.high},
          [field](GemmFit& fit, double value) {
            if (!fit.tiles) fit.tiles.emplace();
            (*fit.tiles).*field = value;
          },
          [field](const GemmFit& fit) { return fit.tiles ? (*fit.tiles).*field : 0; }};
}

Bound<PrefillAttentionFit> row_tile() {
  return {{"row_tile", "row_tile", "count", 64, 1, 1024},
          [](PrefillAttentionFit& fit, double value) {
            fit.row_tile = static_cast<std::int64_t>(value);
          },
          [](const PrefillAttentionFit& fit) { return static_cast<double>(fit.row_tile); }};
}

Bound<PrefillAttentionFit> packs_group() {
  return {{"packs_group", "packs_group", "flag", 0, 0, 1},
          [](PrefillAttentionFit& fit, double value) { fit.packs_group = value > 0; },
          [](const PrefillAttentionFit& fit) { return fit.packs_group ? 1.0 : 0.0; }};
}

Bound<MixedAttentionFit> spill_threshold() {
  return {{"spill_threshold", "spill_threshold_mb", "MB", 1e3, 1, 1e6},
          [](MixedAttentionFit& fit, double value) { fit.spill_threshold = value * unit::MB; },
          [](const MixedAttentionFit& fit) {
            return fit.spill_threshold ? fit.spill_threshold->in(unit::MB) : 1e6;
          }};
}

/// Number of sequences beyond which one more costs more.
Bound<SamplerFit> many_sequences() {
  return {{"many", "many", "count", 64, 1, 1e6},
          [](SamplerFit& fit, double value) { fit.many = static_cast<std::int64_t>(value); },
          [](const SamplerFit& fit) { return static_cast<double>(fit.many); }};
}

}  // namespace

std::vector<Bound<GemmFit>> gemm_coefficients() {
  return {share("ec", &GemmFit::ec),
          share("eb", &GemmFit::eb),
          microseconds("t0", 4, &GemmFit::t0),
          plain("exposed_arithmetic", share_or_none, &GemmFit::exposed_arithmetic),
          plain("exposed_traffic", share_or_none, &GemmFit::exposed_traffic),
          tile_number("edge_loss", {25, 1e-5, 1e3}, &GemmTiles::edge_loss),
          tile_number("fill_k", tokens, &GemmTiles::fill_k)};
}

std::vector<Bound<PrefillAttentionFit>> prefill_coefficients() {
  using Fit = PrefillAttentionFit;
  return {share("ec", &Fit::ec),
          share("eb", &Fit::eb),
          microseconds("t0", 8, &Fit::t0),
          plain("small_head_factor", {0.9, 0.1, 1.5}, &Fit::small_head_factor),
          row_tile().as_prior(),
          packs_group().as_prior(),
          plain("query_offset", tokens, &Fit::query_offset),
          plain("serial", {0.8, 1e-6, 10}, &Fit::serial),
          plain("exposed", share_or_none, &Fit::exposed)};
}

std::vector<Bound<DecodeAttentionFit>> decode_coefficients() {
  using Fit = DecodeAttentionFit;
  return {share("eb", &Fit::eb),
          microseconds("t0", 10, &Fit::t0).on_all_launches(),
          nanoseconds("per_sequence_head", "a_ns", 20, &Fit::per_sequence_head),
          nanoseconds("per_sequence_query_head", "h_ns", 1, &Fit::per_sequence_query_head),
          nanoseconds("per_64_kv", "c_ns", 20, &Fit::per_64_kv),
          plain("skew", {0.1, 0, 1}, &Fit::skew).as_prior(),
          plain("unsplit_share_of_sms", {1, 0.1, 10}, &Fit::unsplit_share_of_sms).as_prior()};
}

std::vector<Bound<MixedAttentionFit>> mixed_coefficients() {
  using Fit = MixedAttentionFit;
  return {share("prefill_rate", &Fit::prefill_rate),
          share("decode_rate", &Fit::decode_rate),
          microseconds("per_sequence", 1, &Fit::per_sequence),
          plain("query_offset", tokens, &Fit::query_offset),
          microseconds("t0", 8, &Fit::t0),
          share("eb", &Fit::eb),
          microseconds("chain", 1, &Fit::chain),
          plain("chain_exponent", exponent, &Fit::chain_exponent).as_prior(),
          plain("memory_exponent", exponent, &Fit::memory_exponent).as_prior(),
          spill_threshold().as_prior()};
}

std::vector<Bound<SamplerFit>> sampler_coefficients() {
  return {microseconds("base", 20, &SamplerFit::base),
          microseconds("per_sequence", 0.2, &SamplerFit::per_sequence), many_sequences().as_prior(),
          microseconds("per_sequence_beyond", 0.5, &SamplerFit::per_sequence_beyond)};
}

}  // namespace gpucap::perf

#include "gpucap/calibrate/forms.hpp"

namespace gpucap::calibrate {
namespace {

using perf::Bound;
using perf::Calibration;
using perf::Card;
using perf::DecodeAttentionFit;
using perf::ElementwiseFit;
using perf::GemmFit;
using perf::MixedAttentionFit;
using perf::PrefillAttentionFit;
using perf::SamplerFit;
using perf::Work;

Bound<ElementwiseFit> passes(const std::string& symbol, std::size_t kernel) {
  return {{symbol, symbol, "", 2, 0.05, 200},
          [kernel](ElementwiseFit& fit, double value) { fit.kernels[kernel].passes = value; },
          [kernel](const ElementwiseFit& fit) { return fit.kernels[kernel].passes; }};
}

Work decode_work(const DecodeAttentionFit& fit, const Card& card, const AttentionSample& sample) {
  const auto cost = perf::decode_attention(fit, card, sample.shape, sample.decodes.count);
  const auto sum = static_cast<double>(sample.decodes.sum_context);
  Work work;
  work.by_cause[static_cast<std::size_t>(cost.cause)] =
      cost.fixed + cost.per_sum_token * sum +
      cost.per_max_token * static_cast<double>(sample.decodes.max_context);
  work.flops = cost.flops_per_token * sum * unit::flop;
  work.bytes = cost.bytes_per_token * sum * unit::byte;
  return work;
}

Work layer_work(const ElementwiseFit& fit, const Card& card, const LayerSample& sample) {
  constexpr double activation_bytes = 2;
  const double passes = fit.kernels[sample.kernel].passes;
  return perf::elementwise(fit.t0, card, passes * sample.numbers * activation_bytes * unit::byte);
}

}  // namespace

std::vector<Bound<ElementwiseFit>> elementwise_coefficients(
    const std::vector<std::string>& symbols) {
  std::vector<Bound<ElementwiseFit>> list = {microseconds("t0", 2, &ElementwiseFit::t0)};
  for (std::size_t i = 0; i < symbols.size(); ++i) list.push_back(passes(symbols[i], i));
  return list;
}

Form gemm_form(const Card& card, std::vector<GemmSample> samples, const GemmFit* known,
               bool tiles) {
  auto coefficients = perf::gemm_coefficients();
  std::erase_if(coefficients, [&](const Bound<GemmFit>& one) {
    return !tiles && (one.key == "edge_loss" || one.key == "fill_k");
  });
  return form_of<GemmFit, GemmSample>("gemm", std::move(coefficients), std::move(samples), {},
                                      known, [card](const GemmFit& fit, const GemmSample& sample) {
                                        return perf::gemm(fit, card, sample.shape);
                                      });
}

Form prefill_form(const Card& card, std::vector<AttentionSample> samples,
                  const PrefillAttentionFit* known) {
  return form_of<PrefillAttentionFit, AttentionSample>(
      "prefill", perf::prefill_coefficients(), std::move(samples), {}, known,
      [card](const PrefillAttentionFit& fit, const AttentionSample& sample) {
        return perf::prefill_attention(fit, card, sample.shape, sample.chunks);
      });
}

Form decode_form(const Card& card, std::vector<AttentionSample> samples,
                 const DecodeAttentionFit* known) {
  return form_of<DecodeAttentionFit, AttentionSample>(
      "decode", perf::decode_coefficients(), std::move(samples), {}, known,
      [card](const DecodeAttentionFit& fit, const AttentionSample& sample) {
        return decode_work(fit, card, sample);
      });
}

Form mixed_form(const Card& card, const Calibration& alone, std::vector<AttentionSample> samples,
                const MixedAttentionFit* known) {
  Calibration all;
  all.decode = alone.decode;
  return form_of<MixedAttentionFit, AttentionSample>(
      "mixed", perf::mixed_coefficients(), std::move(samples), {}, known,
      [card, all](const MixedAttentionFit& fit, const AttentionSample& sample) mutable {
        all.mixed = fit;
        return perf::mixed_attention(all, card, sample.shape, sample.chunks, sample.decodes);
      });
}

Form elementwise_form(const Card& card, const std::vector<std::string>& symbols,
                      std::vector<LayerSample> samples) {
  ElementwiseFit base;
  base.kernels.resize(symbols.size());
  return form_of<ElementwiseFit, LayerSample>(
      "elementwise", elementwise_coefficients(symbols), std::move(samples), std::move(base),
      nullptr, [card](const ElementwiseFit& fit, const LayerSample& sample) {
        return layer_work(fit, card, sample);
      });
}

Form sampler_form(std::vector<SequenceSample> samples, const SamplerFit* known) {
  return form_of<SamplerFit, SequenceSample>(
      "sampler", perf::sampler_coefficients(), std::move(samples), {}, known,
      [](const SamplerFit& fit, const SequenceSample& sample) {
        return perf::sampling(fit, sample.sequences);
      });
}

}  // namespace gpucap::calibrate

#pragma once

#include "fit_file.hpp"

namespace gpucap::catalog {

// The three kinds of fit file, read whole. Each throws InputError with all problems of its file.

struct GemmPart {
  perf::GemmFit fit;
  perf::FitOrigin origin;
};
GemmPart read_gemm(FitFile file);

struct AttentionPart {
  perf::PrefillAttentionFit prefill;
  perf::FitOrigin prefill_origin;
  perf::DecodeAttentionFit decode;
  perf::FitOrigin decode_origin;
  std::optional<perf::MixedAttentionFit> mixed;
  perf::FitOrigin mixed_origin;
  int mixed_sm_count = 0;  ///< of the card on which the mixed launches ran
};
AttentionPart read_attention(FitFile file);

struct ElementwisePart {
  perf::ElementwiseFit fit;
  perf::FitOrigin origin;
  perf::SamplerFit sampler;
  perf::FitOrigin sampler_origin;
};
ElementwisePart read_elementwise(FitFile file);

}  // namespace gpucap::catalog

#pragma once

#include "gpucap/catalog/fit_part.hpp"

#include "fit_file.hpp"

namespace gpucap::catalog {

using GemmPart = FitPart<perf::GemmFit>;

struct MixedPart : FitPart<perf::MixedAttentionFit> {
  int sm_count = 0;  ///< of the card on which the launches ran
};

struct AttentionPart {
  FitPart<perf::PrefillAttentionFit> prefill;
  FitPart<perf::DecodeAttentionFit> decode;
  std::optional<MixedPart> mixed;
};

struct ElementwisePart {
  FitPart<perf::ElementwiseFit> layers;
  FitPart<perf::SamplerFit> sampler;
};

// The parts of a file that is being read; problems stay in the file.
GemmPart gemm_part(FitFile& file);
FitPart<perf::PrefillAttentionFit> prefill_part(FitFile& file);
FitPart<perf::DecodeAttentionFit> decode_part(FitFile& file);
MixedPart mixed_part(FitFile& file);
FitPart<perf::ElementwiseFit> elementwise_part(FitFile& file);
FitPart<perf::SamplerFit> sampler_part(FitFile& file);

// The three kinds of fit file, read whole. Each throws InputError with all problems of its file.
GemmPart read_gemm(FitFile file);
AttentionPart read_attention(FitFile file);
ElementwisePart read_elementwise(FitFile file);

}  // namespace gpucap::catalog

#include "fit_parts.hpp"

namespace gpucap::catalog {
namespace {

/// A share between 0 and 1, both allowed.
double fraction_or_none(ObjectReader& reader, std::string_view key) {
  const double value = not_negative(reader, key);
  if (value > 1) reader.problem(key, "must be at most 1", "out-of-range");
  return value;
}

perf::PrefillAttentionFit read_prefill(ObjectReader& part) {
  perf::PrefillAttentionFit fit;
  fit.ec = fraction(part, "ec");
  fit.eb = fraction(part, "eb");
  fit.t0 = duration(part, "t0");
  fit.small_head_factor = positive(part, "small_head_factor");
  fit.row_tile = part.required("row_tile", part.count("row_tile"));
  fit.packs_group = part.required("packs_group", part.flag("packs_group"));
  fit.query_offset = not_negative(part, "query_offset");
  fit.serial = not_negative(part, "serial");
  fit.exposed = fraction_or_none(part, "exposed");
  return fit;
}

perf::DecodeAttentionFit read_decode(ObjectReader& part) {
  perf::DecodeAttentionFit fit;
  fit.eb = fraction(part, "eb");
  fit.t0 = duration(part, "t0");
  fit.per_sequence_head = duration(part, "per_sequence_head");
  fit.per_sequence_query_head = duration(part, "per_sequence_query_head");
  fit.per_64_kv = duration(part, "per_64_kv");
  part.quantity("cold_from", parse_bytes);
  fit.skew = part.required("skew", part.number("skew"));
  fit.unsplit_share_of_sms = positive(part, "unsplit_share_of_sms");
  part.text("skew_basis");
  return fit;
}

perf::MixedAttentionFit read_mixed(ObjectReader& part) {
  perf::MixedAttentionFit fit;
  fit.prefill_rate = fraction(part, "prefill_rate");
  fit.decode_rate = fraction(part, "decode_rate");
  fit.per_sequence = duration(part, "per_sequence");
  fit.query_offset = positive(part, "query_offset");
  fit.t0 = duration(part, "t0");
  fit.eb = fraction(part, "eb");
  fit.chain = duration(part, "chain");
  fit.chain_exponent = positive(part, "chain_exponent");
  fit.memory_exponent = positive(part, "memory_exponent");
  fit.spill_threshold =
      part.required("spill_threshold", part.quantity("spill_threshold", parse_bytes));
  return fit;
}

perf::ElementwiseKernel read_kernel(ObjectReader reader) {
  using Width = perf::ElementwiseKernel::Width;
  perf::ElementwiseKernel kernel;
  kernel.name = reader.required("name", reader.text("name"));
  kernel.passes = positive(reader, "passes");
  kernel.per_layer = positive(reader, "per_layer");
  const auto width = reader.choice<Width>("width", "width",
                                          {{"hidden", Width::hidden},
                                           {"ffn", Width::ffn},
                                           {"query_and_key", Width::query_and_key},
                                           {"key_and_value", Width::key_and_value}});
  kernel.width = reader.required("width", width);
  reader.finish();
  return kernel;
}

perf::GemmFit read_product(ObjectReader& part) {
  perf::GemmFit fit;
  fit.ec = fraction(part, "ec");
  fit.eb = fraction(part, "eb");
  fit.exposed_arithmetic = fraction_or_none(part, "exposed_arithmetic");
  fit.exposed_traffic = fraction_or_none(part, "exposed_traffic");
  fit.t0 = duration(part, "t0");
  if (part.has("edge_loss") || part.has("fill_k")) {
    fit.tiles = {not_negative(part, "edge_loss"), not_negative(part, "fill_k")};
  }
  part.quantity("cold_from", parse_bytes);
  return fit;
}

perf::ElementwiseFit read_layers(ObjectReader& part) {
  perf::ElementwiseFit fit;
  fit.t0 = duration(part, "t0");
  for (ObjectReader& kernel : part.objects("kernels")) {
    fit.kernels.push_back(read_kernel(std::move(kernel)));
  }
  return fit;
}

perf::SamplerFit read_sampler(ObjectReader& part) {
  perf::SamplerFit fit;
  fit.base = duration(part, "base");
  fit.per_sequence = duration(part, "per_sequence");
  fit.many = part.required("many", part.count("many"));
  fit.per_sequence_beyond = duration(part, "per_sequence_beyond");
  return fit;
}

/// The part under `key`, its origin and nothing else in it.
template <class Fit>
FitPart<Fit> whole(FitFile& file, std::string_view key, Fit (*read)(ObjectReader&)) {
  ObjectReader part = file.part(key);
  FitPart<Fit> whole{read(part), {}};
  whole.origin = file.origin(part);
  part.finish();
  return whole;
}

}  // namespace

GemmPart gemm_part(FitFile& file) {
  return whole(file, "gemm", read_product);
}

FitPart<perf::PrefillAttentionFit> prefill_part(FitFile& file) {
  return whole(file, "prefill", read_prefill);
}

FitPart<perf::DecodeAttentionFit> decode_part(FitFile& file) {
  return whole(file, "decode", read_decode);
}

MixedPart mixed_part(FitFile& file) {
  ObjectReader part = file.part("mixed");
  MixedPart mixed;
  mixed.fit = read_mixed(part);
  mixed.sm_count = static_cast<int>(positive(part, "sm_count"));
  mixed.origin = file.origin(part);
  part.finish();
  return mixed;
}

FitPart<perf::ElementwiseFit> elementwise_part(FitFile& file) {
  return whole(file, "elementwise", read_layers);
}

FitPart<perf::SamplerFit> sampler_part(FitFile& file) {
  return whole(file, "sampler", read_sampler);
}

GemmPart read_gemm(FitFile file) {
  GemmPart gemm = gemm_part(file);
  file.close();
  return gemm;
}

AttentionPart read_attention(FitFile file) {
  AttentionPart attention{prefill_part(file), decode_part(file), {}};
  if (file.root().has("mixed")) attention.mixed = mixed_part(file);
  file.close();
  return attention;
}

ElementwisePart read_elementwise(FitFile file) {
  ElementwisePart elementwise{elementwise_part(file), sampler_part(file)};
  file.close();
  return elementwise;
}

}  // namespace gpucap::catalog

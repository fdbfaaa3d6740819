#include "gpucap/calibrate/samples_file.hpp"

#include <map>
#include <tuple>

#include <fmt/format.h>

namespace gpucap::calibrate {
namespace {

using measure::Attention;
using measure::Pass;
using measure::Product;
using measure::Sample;

std::string times_of(const Sample& sample) {
  return fmt::format("{:.6g},{:.6g},{:.6g}", sample.time.in(unit::us), sample.fastest.in(unit::us),
                     sample.slowest.in(unit::us));
}

constexpr const char* times = "time_us,time_min_us,time_max_us";

/// Bytes of the numbers that the device's kernels work on.
int number_bytes(const measure::Samples& samples) {
  return samples.device.kind == "cpu" ? 4 : 2;
}

/// The format whose products make up the fit: BF16 where there are any, else FP16, else FP32.
Dtype product_format(const measure::Samples& samples) {
  for (const Dtype dtype : {Dtype::bf16, Dtype::fp16}) {
    for (const Sample& sample : samples.samples) {
      const auto* product = std::get_if<Product>(&sample.work);
      if (product != nullptr && product->dtype == dtype) return dtype;
    }
  }
  return Dtype::fp32;
}

std::string products(const measure::Samples& samples) {
  const Dtype format = product_format(samples);
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, const Sample*> fastest;
  for (const Sample& sample : samples.samples) {
    const auto* product = std::get_if<Product>(&sample.work);
    if (product == nullptr || product->dtype != format) continue;
    if (product->accumulate != Dtype::fp32) continue;
    auto& best = fastest[{product->n, product->k, product->m}];
    if (best == nullptr || sample.time < best->time) best = &sample;
  }
  std::string rows;
  for (const auto& [shape, sample] : fastest) {
    const auto& [n, k, m] = shape;
    rows += fmt::format("{},{},{},{},{}\n", m, n, k, number_bytes(samples), times_of(*sample));
  }
  return rows.empty() ? "" : fmt::format("m,n,k,weight_bytes,{}\n{}", times, rows);
}

std::string attention(const measure::Samples& samples) {
  std::string rows;
  for (const Sample& sample : samples.samples) {
    const auto* work = std::get_if<Attention>(&sample.work);
    if (work == nullptr) continue;
    rows += fmt::format("{},{},{},{},{},{},{},{},{}\n", work->q == 1 ? "decode" : "prefill",
                        work->batch, work->q, work->kv, work->heads, work->kv_heads, work->head_dim,
                        number_bytes(samples), times_of(sample));
  }
  constexpr const char* columns = "phase,batch,q_len,kv_len,heads,kv_heads,head_dim,cache_bytes";
  return rows.empty() ? "" : fmt::format("{},{}\n{}", columns, times, rows);
}

/// The rotated vectors stand as so many heads of one number.
std::string layers(const measure::Samples& samples) {
  std::string rows;
  for (const Sample& sample : samples.samples) {
    const auto* pass = std::get_if<Pass>(&sample.work);
    if (pass == nullptr) continue;
    const bool norm = pass->kind == Pass::Kind::rms_norm, rope = pass->kind == Pass::Kind::rope;
    rows += fmt::format("{},{},{},{},{},0,1,{}\n",
                        norm   ? "rms_norm"
                        : rope ? "rope"
                               : "silu_mul",
                        pass->tokens, norm ? pass->width : 0, norm || rope ? 0 : pass->width,
                        rope ? pass->width : 0, times_of(sample));
  }
  constexpr const char* columns = "layer,tokens,hidden,ffn,heads,kv_heads,head_dim";
  return rows.empty() ? "" : fmt::format("{},{}\n{}", columns, times, rows);
}

}  // namespace

std::vector<SampleTable> tables_of(const measure::Samples& samples, const std::string& file) {
  std::vector<SampleTable> tables;
  for (const std::string& text : {products(samples), attention(samples), layers(samples)}) {
    if (!text.empty()) tables.push_back(SampleTable::of_text(file, text));
  }
  return tables;
}

}  // namespace gpucap::calibrate

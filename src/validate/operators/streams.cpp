#include <algorithm>
#include <array>
#include <utility>

#include "launch.hpp"
#include <fmt/format.h>

namespace gpucap::validate {
namespace {

using Width = perf::ElementwiseKernel::Width;

/// Layer names of the tables, by what they stream over.
constexpr std::array<std::pair<const char*, Width>, 10> layers{
    {{"layernorm", Width::hidden},
     {"final_layernorm", Width::hidden},
     {"input_layernorm", Width::hidden},
     {"post_attention_layernorm", Width::hidden},
     {"post_layernorm", Width::hidden},
     {"rotary_emb", Width::query_and_key},
     {"attn_rope", Width::query_and_key},
     {"rope", Width::query_and_key},
     {"act_fn", Width::ffn},
     {"mlp_act", Width::ffn}}};

std::optional<Width> width_kind(const std::string& layer) {
  for (const auto& [name, width] : layers) {
    if (layer == name) return width;
  }
  return std::nullopt;
}

double width_of(const CsvCells& row, Width width) {
  if (width == Width::hidden) return row.needed("hidden");
  if (width == Width::ffn) return row.needed("ffn");
  return (row.needed("heads") + row.needed("kv_heads")) * row.needed("head_dim");
}

}  // namespace

std::optional<Launch> layer_launch(const LaunchContext& context, const CsvCells& row) {
  const auto width = width_kind(row.text("layer"));
  if (!width || row.text("tp") != "1") return std::nullopt;
  const auto& fit = context.card.calibration.elementwise;
  const auto kernel = std::find_if(fit.kernels.begin(), fit.kernels.end(),
                                   [&](const auto& one) { return one.width == *width; });
  if (kernel == fit.kernels.end()) return std::nullopt;
  const std::int64_t tokens = whole(row, "tokens");
  constexpr double activation_bytes = 2;
  Launch launch;
  launch.kernel = "element-wise";
  launch.shape = fmt::format("{}, {} tokens", row.text("layer"), tokens);
  launch.key = {{tokens}, tokens};
  launch.work = perf::elementwise(fit.t0, card_of(context.card),
                                  kernel->passes * static_cast<double>(tokens) *
                                      width_of(row, *width) * activation_bytes * unit::byte);
  return launch;
}

std::optional<Launch> collective_launch(const LaunchContext& context, const CsvCells& row) {
  const auto host = context.book.hosts.find(row.text("topology"));
  const auto made = context.book.implementations.find(row.text("impl"));
  if (host == context.book.hosts.end() || made == context.book.implementations.end()) {
    return std::nullopt;
  }
  const std::int64_t ranks = whole(row, "ranks"), payload = whole(row, "bytes");
  for (const perf::CollectiveFit& fit : context.card.calibration.collectives) {
    const std::string_view kind = hardware::name(fit.collective);
    if (kind != row.text("collective") || fit.host != host->second.id || fit.ranks != ranks ||
        fit.implementation != made->second.id) {
      continue;
    }
    Launch launch;
    launch.kernel = fmt::format("{} {}", kind, fit.implementation.substr(0, 4));
    launch.shape = fmt::format("{} B over {} on {}", payload, ranks, fit.host);
    launch.key = {{payload}, payload};
    launch.work = perf::exchange(fit, static_cast<double>(payload) * unit::byte);
    return launch;
  }
  return std::nullopt;
}

}  // namespace gpucap::validate

#include "fit_formats.hpp"

#include <algorithm>
#include <optional>

#include "fit_files.hpp"
#include <fmt/format.h>

namespace gpucap::catalog {
namespace {
using models::ProductKernels;

constexpr double half_of_middle_95_percent = 1.959963984540054;  // normal quantile of 0.975

std::optional<Lender> read_lender(ObjectReader& kernels, const std::string& architecture,
                                  const std::string& own_fit) {
  auto reader = kernels.object(architecture);
  if (!reader) return std::nullopt;
  Lender lender;
  lender.card = reader->required("from", reader->text("from"));
  lender.fit = reader->text("fit").value_or(own_fit);
  lender.interval = positive(*reader, "interval");
  lender.caveat = reader->text("caveat").value_or("");
  reader->finish();
  return lender;
}

perf::RooflineFit read_roofline(ObjectReader& part) {
  perf::RooflineFit fit;
  fit.ec = fraction(part, "ec");
  fit.eb = fraction(part, "eb");
  fit.p = positive(part, "p");
  fit.t0 = duration(part, "t0");
  return fit;
}

/// A fraction below that of 16-bit products on the lender is limited by what limits those (power,
/// clocks), so it goes with theirs; one above it is not, and stays.
double carried_over(double ec, double plain_there, double plain_here) {
  return std::min(ec <= plain_there ? ec * plain_here / plain_there : ec, 1.0);
}

/// What long 16-bit products reach on a card that lends, by the transfer map where it has no fit of
/// its own, and under its own power cap.
PlainRates plain_rates_of(FitFiles& files, const std::string& card, const hardware::Gpu& asked) {
  const TransferMap& map = files.transfer();
  const auto found = map.cards.find(card);
  const bool own = found == map.cards.end() || !found->second.gemm;
  const std::string& from = own ? card : found->second.gemm->from;
  const perf::GemmFit& fit = files.gemm(from, asked).fit;
  const hardware::Gpu& gpu = files.lending(card);
  return {std::min(fit.ec, sustained_rate(files.sustained(), gpu).share), fit.eb};
}

perf::FormatFit lent(FitFiles& files, const hardware::Gpu& gpu, const PlainRates& plain,
                     ProductKernels kernels, const Lender& lender) {
  const PlainRates there = plain_rates_of(files, lender.card, gpu);
  perf::FormatFit format = files.format(lender.card, "gemm-" + lender.fit, gpu);
  format.product.ec = models::widens_weights(kernels)
                          ? plain.ec
                          : carried_over(format.product.ec, there.ec, plain.ec);
  format.interval = lender.interval;
  format.origin.transfer_spread = lender.interval / half_of_middle_95_percent;
  if (!lender.caveat.empty()) format.caveat = lender.caveat;
  format.origin.reason = "no launches of these kernels were measured on this card";
  return format;
}

}  // namespace

Lenders read_lenders(const std::filesystem::path& data_dir, const std::string& architecture) {
  JsonDocument document = JsonDocument::read((data_dir / formats_file).string());
  ObjectReader root(document);
  Lenders lenders;
  root.text("source");
  root.text("interval_basis");
  root.object("experts");
  if (auto all = root.object("kernels")) {
    for (const ProductKernels kind : models::quantised_kernels()) {
      const std::string fit(models::name(kind));
      auto kernels = all->object(fit);
      if (!kernels) continue;
      if (auto lender = read_lender(*kernels, architecture, fit)) lenders[kind] = *lender;
    }
    all->finish();
  }
  root.finish();
  document.throw_if_problems();
  return lenders;
}

ExpertLender read_expert_lender(const std::filesystem::path& data_dir) {
  JsonDocument document = JsonDocument::read((data_dir / formats_file).string());
  ObjectReader root(document);
  ExpertLender lender;
  if (auto experts = root.object("experts")) {
    lender.card = experts->required("from", experts->text("from"));
    lender.interval = positive(*experts, "interval");
    experts->text("interval_basis");
    experts->finish();
  } else if (!root.has("experts")) {
    document.add_problem("", "\"experts\" is missing", "missing-key");
  }
  document.throw_if_problems();
  return lender;
}

perf::FormatFit format_part(FitFile& file, std::string_view key) {
  perf::FormatFit format;
  ObjectReader part = file.part(key);
  format.product = read_roofline(part);
  format.quantise_bytes = part.number("quantise_bytes").value_or(0);
  format.caveat = part.text("caveat").value_or("");
  part.quantity("cold_from", parse_bytes);
  format.origin = file.origin(part);
  if (format.origin.quality) format.interval = format.origin.quality->p95_error;
  part.finish();
  return format;
}

perf::FormatFit read_format(FitFile file) {
  perf::FormatFit format = format_part(file, "gemm");
  file.close();
  return format;
}

perf::ExpertFit read_expert_file(FitFile file) {
  perf::ExpertFit experts;
  ObjectReader part = file.part("experts");
  experts.product = read_roofline(part);
  experts.block_rows = part.required("block_rows", part.number("block_rows"));
  experts.origin = file.origin(part);
  if (experts.origin.quality) experts.interval = experts.origin.quality->p95_error;
  part.finish();
  file.close();
  return experts;
}

perf::ExpertFit experts_of(FitFiles& files, const hardware::Gpu& gpu, const PlainRates& plain) {
  const ExpertLender& lender = files.expert_lender();
  if (lender.card == gpu.id) return files.experts(gpu.id, gpu);
  const PlainRates there = plain_rates_of(files, lender.card, gpu);
  perf::ExpertFit experts = files.experts(lender.card, gpu);
  experts.product.ec = std::min(1.0, experts.product.ec * plain.ec / there.ec);
  experts.product.eb = std::min(1.0, experts.product.eb * plain.eb / there.eb);
  experts.interval = lender.interval;
  experts.origin.transfer_spread = lender.interval / half_of_middle_95_percent;
  experts.origin.reason = "the fused layer was measured on one card only";
  return experts;
}

std::map<ProductKernels, perf::FormatFit> formats_of(FitFiles& files, const hardware::Gpu& gpu,
                                                     const PlainRates& plain) {
  const Lenders& lenders = files.lenders(gpu.architecture);
  std::map<ProductKernels, perf::FormatFit> formats;
  for (const ProductKernels kernels : models::quantised_kernels()) {
    const std::string what = fmt::format("gemm-{}", models::name(kernels));
    if (files.has(gpu.id, what)) {
      formats[kernels] = files.format(gpu.id, what, gpu);
    } else if (const auto found = lenders.find(kernels); found != lenders.end()) {
      formats[kernels] = lent(files, gpu, plain, kernels, found->second);
    }
  }
  return formats;
}

}  // namespace gpucap::catalog

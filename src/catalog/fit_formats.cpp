#include "fit_formats.hpp"

#include "gpucap/catalog/gpus.hpp"

#include <algorithm>
#include <optional>

#include "fit_parts.hpp"
#include "fit_sustained.hpp"
#include "fit_transfer.hpp"
#include <fmt/format.h>

namespace gpucap::catalog {
namespace {
using models::ProductKernels;

constexpr double half_of_middle_95_percent = 1.959963984540054;  // normal quantile of 0.975

/// Who lends the fit of one kind of kernels to cards of one architecture.
struct Lender {
  std::string card;
  std::string fit;  ///< name of the fit file; another format's where that is the nearest measured
  double interval = 0;
  std::string caveat;
};

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

std::map<ProductKernels, Lender> read_lenders(const std::filesystem::path& data_dir,
                                              const std::string& architecture) {
  JsonDocument document = JsonDocument::read((data_dir / formats_file).string());
  ObjectReader root(document);
  std::map<ProductKernels, Lender> lenders;
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

perf::RooflineFit read_roofline(ObjectReader& part) {
  perf::RooflineFit fit;
  fit.ec = fraction(part, "ec");
  fit.eb = fraction(part, "eb");
  fit.p = positive(part, "p");
  fit.t0 = duration(part, "t0");
  return fit;
}

perf::FormatFit read_format(FitFile file) {
  perf::FormatFit format;
  ObjectReader part = file.part("gemm");
  format.product = read_roofline(part);
  format.quantise_bytes = part.number("quantise_bytes").value_or(0);
  format.caveat = part.text("caveat").value_or("");
  part.quantity("cold_from", parse_bytes);
  format.origin = file.origin(part);
  if (format.origin.quality) format.interval = format.origin.quality->p95_error;
  part.finish();
  file.close();
  return format;
}

/// A fraction below that of 16-bit products on the lender is limited by what limits those (power,
/// clocks), so it goes with theirs; one above it is not, and stays.
double carried_over(double ec, double plain_there, double plain_here) {
  return std::min(ec <= plain_there ? ec * plain_here / plain_there : ec, 1.0);
}

/// What long 16-bit products reach on a card that lends, by the transfer map where it has no fit of
/// its own, and under its own power cap.
PlainRates plain_rates_of(const std::filesystem::path& data_dir, const std::string& card,
                          const hardware::Gpu& asked) {
  const auto map = read_transfer(data_dir);
  const auto found = map.cards.find(card);
  const bool own = found == map.cards.end() || !found->second.gemm;
  const std::string from = own ? card : found->second.gemm->from;
  const perf::GemmFit fit = read_gemm({data_dir, from, "gemm", asked}).fit;
  const auto sheet = data_dir / "calibration" / "specs" / (card + ".json");
  const hardware::Gpu gpu = read_gpu(JsonDocument::read(sheet.string())).gpu;
  return {std::min(fit.ec, read_sustained(data_dir, gpu).share), fit.eb};
}

perf::FormatFit lent(const std::filesystem::path& data_dir, const hardware::Gpu& gpu,
                     const PlainRates& plain, ProductKernels kernels, const Lender& lender) {
  const PlainRates there = plain_rates_of(data_dir, lender.card, gpu);
  perf::FormatFit format = read_format({data_dir, lender.card, "gemm-" + lender.fit, gpu});
  format.product.ec = models::widens_weights(kernels)
                          ? plain.ec
                          : carried_over(format.product.ec, there.ec, plain.ec);
  format.interval = lender.interval;
  format.origin.transfer_spread = lender.interval / half_of_middle_95_percent;
  if (!lender.caveat.empty()) format.caveat = lender.caveat;
  format.origin.reason = "no launches of these kernels were measured on this card";
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

struct ExpertLender {
  std::string card;
  double interval = 0;
};

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

}  // namespace

perf::ExpertFit read_experts(const std::filesystem::path& data_dir, const hardware::Gpu& gpu,
                             const PlainRates& plain) {
  const ExpertLender lender = read_expert_lender(data_dir);
  if (lender.card == gpu.id) return read_expert_file({data_dir, gpu.id, "experts", gpu});
  const PlainRates there = plain_rates_of(data_dir, lender.card, gpu);
  perf::ExpertFit experts = read_expert_file({data_dir, lender.card, "experts", gpu});
  experts.product.ec = std::min(1.0, experts.product.ec * plain.ec / there.ec);
  experts.product.eb = std::min(1.0, experts.product.eb * plain.eb / there.eb);
  experts.interval = lender.interval;
  experts.origin.transfer_spread = lender.interval / half_of_middle_95_percent;
  experts.origin.reason = "the fused layer was measured on one card only";
  return experts;
}

std::map<ProductKernels, perf::FormatFit> read_formats(const std::filesystem::path& data_dir,
                                                       const hardware::Gpu& gpu,
                                                       const PlainRates& plain) {
  const auto lenders = read_lenders(data_dir, gpu.architecture);
  std::map<ProductKernels, perf::FormatFit> formats;
  for (const ProductKernels kernels : models::quantised_kernels()) {
    const std::string what = fmt::format("gemm-{}", models::name(kernels));
    const auto own = data_dir / fits_folder / fmt::format("{}-{}.json", gpu.id, what);
    if (std::filesystem::exists(own)) {
      formats[kernels] = read_format({data_dir, gpu.id, what, gpu});
    } else if (const auto found = lenders.find(kernels); found != lenders.end()) {
      formats[kernels] = lent(data_dir, gpu, plain, kernels, found->second);
    }
  }
  return formats;
}

}  // namespace gpucap::catalog

#include "gpucap/calibrate/store.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "json_layout.hpp"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpucap::calibrate {
namespace {

using Json = nlohmann::ordered_json;

/// "8 MiB" where that is exact, else "1.515 MB".
std::string size_text(Bytes size) {
  for (const auto& [unit, name] : {std::pair{unit::MiB, "MiB"}, std::pair{unit::KiB, "KiB"}}) {
    const double count = size.in(unit);
    if (count >= 1 && count == std::floor(count)) return fmt::format("{:.0f} {}", count, name);
  }
  return size >= unit::MB ? fmt::format("{:.4g} MB", size.in(unit::MB))
                          : fmt::format("{:.4g} kB", size.in(unit::kB));
}

Json value_of(const FittedCoefficient& coefficient) {
  if (coefficient.unit == "count") return static_cast<std::int64_t>(coefficient.value);
  if (coefficient.unit == "flag") return coefficient.value > 0;
  if (coefficient.unit.empty()) return rounded(coefficient.value, 4);
  return fmt::format("{:.4g} {}", coefficient.value, coefficient.unit);
}

Json error_of(const HeldOutError& error) {
  Json out;
  if (!error.range.empty()) out["range"] = error.range;
  out["points"] = error.points;
  out["median_error"] = rounded(error.median, 3);
  out["p95_error"] = rounded(error.p95, 3);
  out["bias"] = rounded(error.bias, 2);
  out["spread"] = rounded(error.spread, 2);
  return out;
}

void add_parameters(Json& fit, const FittedPart& part) {
  Json names = Json::array(), errors = Json::array(), correlation = Json::array();
  for (const FittedCoefficient& coefficient : part.coefficients) {
    if (!coefficient.fitted) continue;
    names.push_back(coefficient.symbol);
    errors.push_back(rounded(coefficient.standard_error, 2));
  }
  for (const double value : part.correlation) {
    correlation.push_back(std::stod(fmt::format("{:.2f}", value + 0.0)));
  }
  fit["parameters"] = names;
  fit["standard_errors"] = errors;
  fit["correlation_below_diagonal"] = correlation;
}

Json fit_of(const FittedPart& part) {
  Json fit;
  fit["points"] = part.points;
  fit["held_out"] = error_of(part.held_out);
  if (!part.also.empty()) fit["also"] = Json::array();
  for (const HeldOutError& error : part.also) fit["also"].push_back(error_of(error));
  add_parameters(fit, part);
  for (const auto& [reason, count] : part.refused) fit["refused"][reason] = count;
  if (!part.points_used.empty()) fit["points_used"] = part.points_used;
  if (!part.tables.empty()) fit["tables"] = part.tables;
  return fit;
}

/// Why each held coefficient has its value; read by people.
void add_basis(Json& out, const FittedPart& part) {
  std::string basis;
  for (const FittedCoefficient& coefficient : part.coefficients) {
    if (coefficient.absent || coefficient.basis == "fitted") continue;
    basis += fmt::format("{}{} {}", basis.empty() ? "" : "; ", coefficient.key, coefficient.basis);
  }
  if (!basis.empty()) out["notes"] = basis;
}

bool is_passes(const FittedCoefficient& coefficient, const std::vector<KernelPlan>& kernels) {
  return std::any_of(kernels.begin(), kernels.end(),
                     [&](const KernelPlan& kernel) { return kernel.symbol == coefficient.key; });
}

Json kernels_of(const FittedPart& part, const std::vector<KernelPlan>& kernels) {
  using Width = perf::ElementwiseKernel::Width;
  static const std::map<Width, const char*> widths = {{Width::hidden, "hidden"},
                                                      {Width::ffn, "ffn"},
                                                      {Width::query_and_key, "query_and_key"},
                                                      {Width::key_and_value, "key_and_value"}};
  Json list = Json::array();
  for (const KernelPlan& kernel : kernels) {
    const auto passes = std::find_if(
        part.coefficients.begin(), part.coefficients.end(),
        [&](const FittedCoefficient& coefficient) { return coefficient.key == kernel.symbol; });
    list.push_back({{"name", kernel.kernel.name},
                    {"passes", rounded(passes->value, 4)},
                    {"width", widths.at(kernel.kernel.width)},
                    {"per_layer", kernel.kernel.per_layer}});
  }
  return list;
}

Json part_of(const FittedPart& part, const FittedFile& file) {
  Json out;
  const bool layered = part.part == "elementwise";
  for (const FittedCoefficient& coefficient : part.coefficients) {
    if (coefficient.absent || (layered && is_passes(coefficient, file.kernels))) continue;
    out[coefficient.key] = value_of(coefficient);
  }
  if (layered) out["kernels"] = kernels_of(part, file.kernels);
  if (part.part == "mixed") out["sm_count"] = file.gpu.sm_count;
  out["source"] = part.source;
  if (part.cold_from) out["cold_from"] = size_text(*part.cold_from);
  out["fit"] = fit_of(part);
  add_basis(out, part);
  return out;
}

Json piece_of(const CollectivePiece& piece) {
  Json out;
  if (piece.below) out["below"] = size_text(*piece.below);
  out["alpha"] = fmt::format("{:.4g} us", piece.alpha.in(unit::us));
  out["busbw"] = fmt::format("{:.4g} GB/s", piece.busbw.in(unit::GB_per_s));
  out["q"] = rounded(piece.q, 4);
  return out;
}

Json set_of(const SetPlan& set, const std::vector<CollectivePiece>& pieces) {
  Json out;
  out["collective"] = set.collective == "alltoall" ? "all_to_all" : set.collective;
  out["host"] = set.host;
  out["card"] = set.card;
  out["ranks"] = set.ranks;
  out["implementation"] = set.implementation;
  out["pieces"] = Json::array();
  for (const CollectivePiece& piece : pieces) out["pieces"].push_back(piece_of(piece));
  out["source"] = set.source;
  return out;
}

Json fitted_set(const FittedSet& set) {
  Json out = set_of(set.plan, set.pieces);
  out["fit"] = {{"points", set.points}, {"held_out", error_of(set.held_out)}};
  for (const auto& [reason, count] : set.refused) out["fit"]["refused"][reason] = count;
  return out;
}

}  // namespace

std::string fit_json(const FittedFile& file) {
  Json root;
  root["card"] = file.gpu.id;
  root["fitted_with"] = {
      {"peak", fmt::format("{:g} TFLOP/s", file.gpu.product_peak().in(unit::TFLOP_per_s))},
      {"bandwidth", fmt::format("{:g} GB/s", file.gpu.memory_bandwidth.in(unit::GB_per_s))}};
  for (const FittedPart& part : file.parts) root[part.part] = part_of(part, file);
  if (!file.notes.empty()) root["notes"] = file.notes;
  return laid_out(root) + "\n";
}

std::string collectives_json(const FittedSets& sets) {
  Json root;
  root["form"] =
      "t = (alpha^q + (S / busbw)^q)^(1/q) of the piece whose payload limit is not reached; S = 2 "
      "(n-1)/n x payload for all_reduce, payload for send_recv, else (n-1)/n x payload";
  root["sets"] = Json::array();
  for (const FittedSet& set : sets.sets) root["sets"].push_back(fitted_set(set));
  for (const StatedSet& stated : sets.stated) {
    root["sets"].push_back(
        set_of(stated.set, {{std::nullopt, stated.alpha, stated.busbw, stated.q}}));
  }
  if (!sets.notes.empty()) root["notes"] = sets.notes;
  return laid_out(root) + "\n";
}

}  // namespace gpucap::calibrate

#include "gpucap/calibrate/fit_file.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpucap::calibrate {
namespace {

std::string base_name(const std::string& file) {
  return std::filesystem::path(file).filename().string();
}

/// The samples of one part with the names of the tables that gave any.
template <class Sample>
struct Gathered {
  std::vector<Sample> samples;
  std::vector<std::string> tables;
  Refusals refused;
};

class CardFit {
 public:
  CardFit(const hardware::Gpu& gpu, std::vector<SampleTable>& tables, const FitPlan& plan,
          const std::vector<Exclusion>& exclusions, const std::vector<std::string>& names,
          double sustained, const perf::Calibration* in_force)
      : tables_(tables),
        plan_(plan),
        exclusions_(exclusions),
        names_(names),
        in_force_(in_force),
        card_{gpu.product_peak(), gpu.memory_bandwidth, gpu.sm_count, sustained},
        l2_(gpu.l2.value_or(Bytes{})) {
    if (in_force != nullptr) so_far_ = *in_force;
    file_.gpu = gpu;
    file_.notes = plan.notes;
  }

  FittedFile run() {
    if (wants("gemm")) fit_gemm();
    if (wants("prefill")) fit_prefill();
    if (wants("decode")) fit_decode();
    if (wants("mixed")) fit_mixed();
    if (wants("elementwise")) fit_elementwise();
    if (wants("sampler")) fit_sampler();
    return std::move(file_);
  }

 private:
  [[nodiscard]] bool wants(const std::string& part) const { return plan_.parts.contains(part); }
  [[nodiscard]] const PartPlan& part(const std::string& name) const { return plan_.parts.at(name); }

  template <class Read>
  auto gather(const std::string& name, Read read) {
    using Samples = std::invoke_result_t<Read, SampleTable&, const RowChoice&, Refusals&>;
    Gathered<typename Samples::value_type> all;
    const PartPlan& plan = part(name);
    const RowChoice choice{plan.rows, names_, exclusions_};
    for (SampleTable& table : tables_) {
      const std::string file = base_name(table.file());
      const auto& named = plan.tables;
      if (!named.empty() && std::find(named.begin(), named.end(), file) == named.end()) continue;
      auto samples = read(table, choice, all.refused);
      if (samples.empty()) continue;
      all.tables.push_back(file);
      std::move(samples.begin(), samples.end(), std::back_inserter(all.samples));
    }
    return all;
  }

  [[nodiscard]] ColdRule cold_rule(const PartPlan& plan, const char* word) const {
    return {plan.cold_from.value_or(l2_), word, plan.all_launches};
  }

  template <class Sample>
  const FittedPart& add(const Form& form, const Gathered<Sample>& from, const ColdRule& cold,
                        const std::string& also_used = "",
                        const std::vector<ReportedRange>& ranges = {}) {
    FittedPart fitted = fit_form(form, card_, part(form.part), cold, ranges);
    for (const auto& [reason, count] : from.refused) fitted.refused[reason] += count;
    fitted.tables = from.tables;
    fitted.points_used = used(cold) + also_used;
    file_.parts.push_back(std::move(fitted));
    return file_.parts.back();
  }

  [[nodiscard]] static std::string used(const ColdRule& cold) {
    if (cold.fit_warm || cold.from == Bytes{}) return "all launches";
    return fmt::format("cold launches: {} of at least {:.4g} MB", cold.word,
                       cold.from.in(unit::MB));
  }

  void fit_gemm() {
    auto from = gather("gemm", gemm_samples);
    const Form form = gemm_form(card_, std::move(from.samples),
                                in_force_ ? &in_force_->gemm : nullptr, part("gemm").tiles);
    add(form, from, cold_rule(part("gemm"), "operands"));
  }

  void fit_prefill() {
    auto from = gather("prefill", prefill_samples);
    const Form form =
        prefill_form(card_, std::move(from.samples), in_force_ ? &in_force_->prefill : nullptr);
    ColdRule all = cold_rule(part("prefill"), "operands");
    all.fit_warm = true;  // chunks are read once and computed on: the cache matters little
    const auto many_tokens = [&](std::size_t launch) { return form.launches[launch].weight > 0; };
    add(form, from, all, " of more than one token per prompt",
        {{"prompts of more than one token", many_tokens}});
  }

  void fit_decode() {
    auto from = gather("decode", decode_samples);
    const Form form =
        decode_form(card_, std::move(from.samples), in_force_ ? &in_force_->decode : nullptr);
    const ColdRule cold = cold_rule(part("decode"), "KV");
    put(so_far_.decode, perf::decode_coefficients(), values_of(add(form, from, cold).coefficients));
  }

  void fit_mixed() {
    auto from = gather("mixed", mixed_samples);
    const bool known = in_force_ != nullptr && in_force_->mixed && in_force_->mixed_origin.measured;
    std::vector<bool> usual;
    for (const AttentionSample& sample : from.samples) {
      usual.push_back(sample.measured.weight == 1);
    }
    const Form form =
        mixed_form(card_, so_far_, std::move(from.samples), known ? &*in_force_->mixed : nullptr);
    ColdRule all = cold_rule(part("mixed"), "KV");
    all.fit_warm = true;
    add(form, from, all,
        " that hold a chunk and decodes; weight one half beyond 64 decodes or 2048 tokens of "
        "context",
        {{"held-out launches with at most 64 decodes of at most 2048 tokens",
          [&](std::size_t launch) { return usual[launch]; }}});
  }

  void fit_elementwise() {
    const PartPlan& plan = part("elementwise");
    std::vector<KernelRows> rows;
    std::vector<std::string> symbols;
    for (const KernelPlan& kernel : plan.kernels) {
      rows.push_back({kernel.layer, kernel.kernel.width});
      symbols.push_back(kernel.symbol);
    }
    auto from =
        gather("elementwise", [&](SampleTable& table, const RowChoice& choice, Refusals& refused) {
          return layer_samples(table, choice, rows, refused);
        });
    const Form form = elementwise_form(card_, symbols, std::move(from.samples));
    ColdRule all = cold_rule(plan, "operands");
    all.fit_warm = true;  // a step finds in the cache what the kernel before left there
    file_.kernels = plan.kernels;
    add(form, from, all);
  }

  void fit_sampler() {
    auto from = gather("sampler", sequence_samples);
    const Form form =
        sampler_form(std::move(from.samples), in_force_ ? &in_force_->sampler : nullptr);
    ColdRule all = cold_rule(part("sampler"), "operands");
    all.fit_warm = true;
    add(form, from, all);
  }

  std::vector<SampleTable>& tables_;
  const FitPlan& plan_;
  const std::vector<Exclusion>& exclusions_;
  const std::vector<std::string>& names_;
  const perf::Calibration* in_force_;
  perf::Card card_;
  Bytes l2_;
  perf::Calibration so_far_;
  FittedFile file_;
};

/// The fit file that a table's launches belong to; empty when only a plan can say.
std::string file_of(TableKind kind) {
  switch (kind) {
    case TableKind::gemm:
      return "gemm";
    case TableKind::attention:
    case TableKind::mixed:
      return "attention";
    case TableKind::layer:
    case TableKind::sequence:
    case TableKind::collective:
      break;
  }
  return "";
}

[[noreturn]] void fail(std::string message, std::string code) {
  throw InputError(Problem{"", "", "", std::move(message), std::move(code)});
}

bool holds_mixed(const std::vector<SampleTable>& tables) {
  for (const SampleTable& table : tables) {
    if (table.kind() != TableKind::mixed) continue;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (table.text(row, "prefill_chunk") != "0" && table.text(row, "n_decode") != "0")
        return true;
    }
  }
  return false;
}

}  // namespace

const std::vector<std::string>& parts_of(const std::string& what) {
  static const std::map<std::string, std::vector<std::string>> parts = {
      {"gemm", {"gemm"}},
      {"attention", {"prefill", "decode", "mixed"}},
      {"elementwise", {"elementwise", "sampler"}}};
  return parts.at(what);
}

FittedFile fit_card(const hardware::Gpu& gpu, std::vector<SampleTable>& tables, const FitPlan& plan,
                    const std::vector<Exclusion>& exclusions,
                    const std::vector<std::string>& card_names, double sustained,
                    const perf::Calibration* in_force) {
  return CardFit(gpu, tables, plan, exclusions, card_names, sustained, in_force).run();
}

FitPlan plan_for(const std::vector<SampleTable>& tables, const std::string& card,
                 const std::string& what) {
  std::set<std::string> files;
  for (const SampleTable& table : tables) {
    const std::string file = file_of(table.kind());
    if (file.empty()) {
      fail(fmt::format("{} holds {}: these need a plan that says which rows are what", table.file(),
                       name(table.kind())),
           "missing-plan");
    }
    if (what.empty() || what == file) files.insert(file);
  }
  if (files.empty()) fail(fmt::format("no table holds samples for \"{}\"", what), "no-samples");
  if (files.size() > 1) {
    fail(fmt::format("the samples belong to {}; name one with --what", fmt::join(files, " and ")),
         "ambiguous-samples");
  }
  FitPlan plan;
  plan.card = card;
  for (const std::string& part : parts_of(*files.begin())) {
    if (part == "mixed" && !holds_mixed(tables)) continue;
    plan.parts[part].source = "own samples";
  }
  return plan;
}

}  // namespace gpucap::calibrate

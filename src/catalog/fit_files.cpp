#include "fit_files.hpp"

#include "gpucap/catalog/gpus.hpp"

#include "collective_sets.hpp"
#include <fmt/format.h>

namespace gpucap::catalog {
namespace {

constexpr std::string_view labs_file = "calibration/fits/between-labs.json";
constexpr std::string_view power_file = "calibration/fits/power.json";

/// The value under `name`, read now if it is not there; what `read` throws leaves nothing behind.
template <class Value, class Read>
const Value& kept(std::map<std::string, Value>& shelf, const std::string& name, Read read) {
  auto found = shelf.find(name);
  if (found == shelf.end()) found = shelf.emplace(name, read()).first;
  return found->second;
}

std::string seen_by(const std::string& card, const std::string& what, const hardware::Gpu& asked) {
  return fmt::format("{}-{}{}", card, what, card == asked.id ? "" : " lent");
}

perf::Calibration::Power read_power(const std::filesystem::path& data_dir) {
  JsonDocument document = JsonDocument::read((data_dir / power_file).string());
  ObjectReader root(document);
  perf::Calibration::Power power;
  power.active_floor = fraction(root, "active_floor");
  power.compute = fraction(root, "compute");
  power.memory = fraction(root, "memory");
  power.assumed = root.required("assumed", root.flag("assumed"));
  power.origin.transfer_spread = positive(root, "spread");
  root.required("spread_source", root.text("spread_source"));
  power.origin.file = power_file;
  power.origin.source = root.required("source", root.text("source"));
  root.finish();
  document.throw_if_problems();
  return power;
}

LabSpreads read_labs(const std::filesystem::path& data_dir) {
  JsonDocument document = JsonDocument::read((data_dir / labs_file).string());
  ObjectReader root(document);
  root.text("form");
  root.required("source", root.text("source"));
  LabSpreads labs;
  labs.otherwise = positive(root, "otherwise");
  if (auto cards = root.object("cards")) {
    for (const std::string& card : cards->keys()) labs.cards[card] = positive(*cards, card);
    cards->finish();
  }
  root.finish();
  document.throw_if_problems();
  return labs;
}

}  // namespace

bool FitFiles::has(const std::string& card, const std::string& what) const {
  return std::filesystem::exists(data_dir_ / fits_folder / fmt::format("{}-{}.json", card, what));
}

const TransferMap& FitFiles::transfer() {
  return kept(transfer_, "", [&] { return read_transfer(data_dir_); });
}

const SustainedTable& FitFiles::sustained() {
  return kept(sustained_, "", [&] { return read_sustained(data_dir_); });
}

const std::vector<perf::CollectiveFit>& FitFiles::collectives() {
  return kept(collectives_, "", [&] { return read_collectives(data_dir_); });
}

const hardware::LinkRates& FitFiles::links() {
  return kept(links_, "", [&] { return read_links(data_dir_); });
}

const perf::Calibration::Power& FitFiles::power() {
  return kept(power_, "", [&] { return read_power(data_dir_); });
}

const LabSpreads& FitFiles::labs() {
  return kept(labs_, "", [&] { return read_labs(data_dir_); });
}

const Lenders& FitFiles::lenders(const std::string& architecture) {
  return kept(lenders_, architecture, [&] { return read_lenders(data_dir_, architecture); });
}

const ExpertLender& FitFiles::expert_lender() {
  return kept(expert_lender_, "", [&] { return read_expert_lender(data_dir_); });
}

const hardware::Gpu& FitFiles::lending(const std::string& card) {
  return kept(lending_, card, [&] {
    const auto sheet = data_dir_ / "calibration" / "specs" / (card + ".json");
    return read_gpu(JsonDocument::read(sheet.string())).gpu;
  });
}

const GemmPart& FitFiles::gemm(const std::string& card, const hardware::Gpu& asked) {
  return kept(gemm_, seen_by(card, "gemm", asked), [&] {
    return read_gemm({data_dir_, card, "gemm", asked});
  });
}

const AttentionPart& FitFiles::attention(const std::string& card, const hardware::Gpu& asked) {
  return kept(attention_, seen_by(card, "attention", asked), [&] {
    return read_attention({data_dir_, card, "attention", asked});
  });
}

const ElementwisePart& FitFiles::elementwise(const std::string& card, const hardware::Gpu& asked) {
  return kept(elementwise_, seen_by(card, "elementwise", asked), [&] {
    return read_elementwise({data_dir_, card, "elementwise", asked});
  });
}

const perf::FormatFit& FitFiles::format(const std::string& card, const std::string& what,
                                        const hardware::Gpu& asked) {
  return kept(formats_, seen_by(card, what, asked), [&] {
    return read_format({data_dir_, card, what, asked});
  });
}

const perf::ExpertFit& FitFiles::experts(const std::string& card, const hardware::Gpu& asked) {
  return kept(experts_, seen_by(card, "experts", asked), [&] {
    return read_expert_file({data_dir_, card, "experts", asked});
  });
}

}  // namespace gpucap::catalog

#include "gpucap/catalog/fits.hpp"

#include "gpucap/core/nearest_name.hpp"

#include <set>

#include "collective_sets.hpp"
#include "fit_files.hpp"
#include <fmt/format.h>

namespace gpucap::catalog {
namespace {

const CardTransfer& transfer_of(const TransferMap& map, const std::filesystem::path& data_dir,
                                const std::string& card) {
  if (const auto found = map.cards.find(card); found != map.cards.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [id, transfer] : map.cards) known.push_back(id);
  throw InputError(Problem{
      (data_dir / transfer_file).string(), "", "/cards",
      unknown_name("GPU", card, known) + "; name there what to calibrate it by", "unknown-name"});
}

/// Assembles one calibration from the files that the transfer map names.
class Assembly {
 public:
  Assembly(FitFiles& files, const hardware::Gpu& gpu)
      : files_(files),
        gpu_(gpu),
        map_(files.transfer()),
        transfer_(transfer_of(map_, files.data_dir(), gpu.id)) {
    prefer_own(transfer_.gemm, "gemm");
    prefer_own(transfer_.attention, "attention");
    prefer_own(transfer_.elementwise, "elementwise");
  }

  perf::Calibration run(const std::vector<OwnCalibration>& own) {
    result_.sustained = sustained_rate(files_.sustained(), gpu_);
    result_.power = files_.power();
    add_gemm();
    add_attention();
    add_elementwise();
    replace_by(own);
    add_mixed();
    add_formats(own);
    result_.collectives = seen_by(gpu_.id, files_.collectives());
    result_.links = files_.links();
    result_.links_file = links_file;
    add_between_labs();
    return std::move(result_);
  }

 private:
  /// Before anything is derived from the parts that a user's file may replace.
  void replace_by(const std::vector<OwnCalibration>& own) {
    for (const OwnCalibration& file : own) {
      if (file.card == gpu_.id) replace_parts(result_, file);
    }
  }

  /// A fit of the very card comes first, whatever the map would lend it.
  void prefer_own(std::optional<CardTransfer::Part>& part, const std::string& what) const {
    if (files_.has(gpu_.id, what)) part.reset();
  }

  [[nodiscard]] const std::string& lender(const std::optional<CardTransfer::Part>& part) const {
    return part ? part->from : gpu_.id;
  }

  /// Says in the origin why the part comes from elsewhere, and how much wider that makes it.
  [[nodiscard]] perf::FitOrigin marked(perf::FitOrigin origin,
                                       const std::optional<CardTransfer::Part>& part,
                                       double TransferSpread::*spread) const {
    if (!part) return origin;
    origin.reason = transfer_.reason;
    origin.transfer_spread = map_.spreads.at(part->kinship).*spread;
    return origin;
  }

  void add_gemm() {
    GemmPart gemm = files_.gemm(lender(transfer_.gemm), gpu_);
    result_.gemm = gemm.fit;
    result_.gemm_origin = marked(std::move(gemm.origin), transfer_.gemm, &TransferSpread::gemm);
  }

  /// Formats that nobody measured on the card stand by its plain products.
  void add_formats(const std::vector<OwnCalibration>& own) {
    const double plain = std::min(result_.gemm.ec, result_.sustained.share);
    result_.formats = formats_of(files_, gpu_, {plain, result_.gemm.eb});
    result_.experts = experts_of(files_, gpu_, {plain, result_.gemm.eb});
    for (const OwnCalibration& file : own) {
      if (file.card == gpu_.id) replace_formats(result_, file);
    }
  }

  void add_attention() {
    AttentionPart attention = files_.attention(lender(transfer_.attention), gpu_);
    result_.prefill = attention.prefill.fit;
    result_.prefill_origin =
        marked(std::move(attention.prefill.origin), transfer_.attention, &TransferSpread::prefill);
    result_.decode = attention.decode.fit;
    result_.decode_origin =
        marked(std::move(attention.decode.origin), transfer_.attention, &TransferSpread::decode);
    // Mixed launches transfer by a rule of their own.
    if (transfer_.attention || !attention.mixed) return;
    result_.mixed = attention.mixed->fit;
    result_.mixed_origin = std::move(attention.mixed->origin);
  }

  /// Rates from the card's own prefill fraction, cost per sequence by the number of SMs.
  void add_mixed() {
    if (!transfer_.mixed || result_.mixed) return;
    AttentionPart source = files_.attention(lender(transfer_.mixed), gpu_);
    if (!source.mixed) {
      throw InputError(Problem{
          (files_.data_dir() / transfer_file).string(), "", "/cards/" + gpu_.id + "/mixed/from",
          transfer_.mixed->from + " has no measured mixed launches", "missing-fit"});
    }
    perf::MixedAttentionFit mixed = source.mixed->fit;
    mixed.prefill_rate = result_.prefill.ec;
    mixed.t0 = result_.prefill.t0;
    mixed.eb = result_.prefill.eb;
    mixed.decode_rate = map_.decode_rate_of_prefill * result_.prefill.ec;
    mixed.per_sequence = mixed.per_sequence * (static_cast<double>(source.mixed->sm_count) /
                                               static_cast<double>(gpu_.sm_count));
    // Where the heads of a group stop sharing the KV that one of them read depends on the card's
    // caches: it was seen on the measured card only.
    mixed.spill_threshold.reset();
    result_.mixed = mixed;
    result_.mixed_origin =
        marked(std::move(source.mixed->origin), transfer_.mixed, &TransferSpread::mixed);
  }

  void add_elementwise() {
    ElementwisePart part = files_.elementwise(lender(transfer_.elementwise), gpu_);
    result_.elementwise = std::move(part.layers.fit);
    result_.elementwise_origin =
        marked(std::move(part.layers.origin), transfer_.elementwise, &TransferSpread::elementwise);
    result_.sampler = part.sampler.fit;
    result_.sampler_origin =
        marked(std::move(part.sampler.origin), transfer_.elementwise, &TransferSpread::elementwise);
  }

  /// That of the card on which the products were measured.
  void add_between_labs() {
    const LabSpreads& labs = files_.labs();
    const auto found = labs.cards.find(result_.gemm_origin.card);
    result_.between_labs = found == labs.cards.end() ? labs.otherwise : found->second;
  }

  FitFiles& files_;
  const hardware::Gpu& gpu_;
  const TransferMap& map_;
  CardTransfer transfer_;
  perf::Calibration result_;
};

}  // namespace

FitBook::FitBook(std::filesystem::path data_dir)
    : files_(std::make_unique<FitFiles>(std::move(data_dir))) {}

FitBook::~FitBook() = default;
FitBook::FitBook(FitBook&&) noexcept = default;
FitBook& FitBook::operator=(FitBook&&) noexcept = default;

const perf::Calibration& FitBook::of(const hardware::Gpu& gpu) {
  auto found = calibrations_.find(gpu.id);
  if (found == calibrations_.end()) {
    found = calibrations_.emplace(gpu.id, Assembly(*files_, gpu).run(own_)).first;
  }
  return found->second;
}

void FitBook::add(OwnCalibration own) {
  calibrations_.erase(own.card);
  own_.push_back(std::move(own));
}

perf::Calibration load_calibration(const std::filesystem::path& data_dir,
                                   const hardware::Gpu& gpu) {
  return FitBook(data_dir).of(gpu);
}

perf::Calibration load_collectives(const std::filesystem::path& data_dir) {
  perf::Calibration calibration;
  calibration.collectives = read_collectives(data_dir);
  calibration.links = read_links(data_dir);
  calibration.links_file = links_file;
  return calibration;
}

perf::SustainedRate load_sustained_rate(const std::filesystem::path& data_dir,
                                        const hardware::Gpu& gpu) {
  return sustained_rate(read_sustained(data_dir), gpu);
}

std::vector<std::string> calibrated_cards(const std::filesystem::path& data_dir) {
  std::vector<std::string> ids;
  for (const auto& [id, transfer] : read_transfer(data_dir).cards) ids.push_back(id);
  return ids;
}

std::vector<std::string> calibration_files(const perf::Calibration& calibration) {
  std::set<std::string> files = {std::string(transfer_file)};
  for (const auto& [part, origin] : perf::parts_of(calibration)) {
    if (!origin->file.empty()) files.insert(origin->file);
  }
  files.insert(calibration.power.origin.file);
  if (!calibration.sustained.origin.file.empty()) {
    files.insert(calibration.sustained.origin.file);
  }
  for (const auto& [kernels, fit] : calibration.formats) files.insert(fit.origin.file);
  if (calibration.experts) files.insert(calibration.experts->origin.file);
  for (const perf::CollectiveFit& fit : calibration.collectives) files.insert(fit.origin.file);
  if (!calibration.links_file.empty()) files.insert(calibration.links_file);
  return {files.begin(), files.end()};
}

}  // namespace gpucap::catalog

#pragma once

#include "gpucap/hardware/gpu.hpp"
#include "gpucap/perf/calibration.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fit_formats.hpp"
#include "fit_parts.hpp"
#include "fit_sustained.hpp"
#include "fit_transfer.hpp"

namespace gpucap::catalog {

/// Deviations of the log of times between laboratories.
struct LabSpreads {
  double otherwise = 0;
  std::map<std::string, double> cards;
};

/// What calibration/fits says, each file read when it is first asked for and then kept, because
/// cards share many of them. A faulty file throws InputError and is not kept: whoever asks again is
/// told again.
class FitFiles {
 public:
  explicit FitFiles(std::filesystem::path data_dir) : data_dir_(std::move(data_dir)) {}

  [[nodiscard]] const std::filesystem::path& data_dir() const { return data_dir_; }
  /// Whether there is a fit of the very card.
  [[nodiscard]] bool has(const std::string& card, const std::string& what) const;

  const TransferMap& transfer();
  const SustainedTable& sustained();
  const std::vector<perf::CollectiveFit>& collectives();
  const hardware::LinkRates& links();
  const perf::Calibration::Power& power();
  const LabSpreads& labs();
  const Lenders& lenders(const std::string& architecture);
  const ExpertLender& expert_lender();
  /// The spec sheet of a card that lends.
  const hardware::Gpu& lending(const std::string& card);

  // The fit of `card` as one that is asked for sees it: "measured" where both are one.
  const GemmPart& gemm(const std::string& card, const hardware::Gpu& asked);
  const AttentionPart& attention(const std::string& card, const hardware::Gpu& asked);
  const ElementwisePart& elementwise(const std::string& card, const hardware::Gpu& asked);
  const perf::FormatFit& format(const std::string& card, const std::string& what,
                                const hardware::Gpu& asked);
  const perf::ExpertFit& experts(const std::string& card, const hardware::Gpu& asked);

 private:
  template <class Value>
  using Kept = std::map<std::string, Value>;

  std::filesystem::path data_dir_;
  Kept<TransferMap> transfer_;
  Kept<SustainedTable> sustained_;
  Kept<std::vector<perf::CollectiveFit>> collectives_;
  Kept<hardware::LinkRates> links_;
  Kept<perf::Calibration::Power> power_;
  Kept<LabSpreads> labs_;
  Kept<Lenders> lenders_;
  Kept<ExpertLender> expert_lender_;
  Kept<hardware::Gpu> lending_;
  Kept<GemmPart> gemm_;
  Kept<AttentionPart> attention_;
  Kept<ElementwisePart> elementwise_;
  Kept<perf::FormatFit> formats_;
  Kept<perf::ExpertFit> experts_;
};

}  // namespace gpucap::catalog

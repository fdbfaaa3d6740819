#include "fit_samples.hpp"

#include "gpucap/calibrate/samples_file.hpp"
#include "gpucap/calibrate/samples_fit.hpp"
#include "gpucap/catalog/data_dir.hpp"
#include "gpucap/catalog/fits.hpp"
#include "gpucap/core/file.hpp"
#include "gpucap/core/nearest_name.hpp"

#include <algorithm>
#include <optional>

namespace gpucap::cli {
namespace {

/// "gemm,decode" as a set; empty: what is usual for the device.
std::set<std::string> parts_of(const std::string& list, const measure::Samples& samples) {
  if (list.empty()) return calibrate::usual_parts(samples);
  const std::vector<std::string> known = {"gemm", "prefill", "decode", "elementwise"};
  std::set<std::string> parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string part = list.substr(begin, end - begin);
    if (std::find(known.begin(), known.end(), part) == known.end()) {
      throw InputError(
          Problem{"", "", "--what", unknown_name("part", part, known), "unknown-name"});
    }
    parts.insert(part);
    begin = end + 1;
  }
  return parts;
}

}  // namespace

std::vector<calibrate::FittedPart> fit_samples_file(const std::filesystem::path& samples_path,
                                                    const std::string& gpu,
                                                    const std::string& parts,
                                                    const std::filesystem::path& out) {
  const auto samples = calibrate::read_samples(samples_path);
  const std::string name = samples_path.filename().string();
  const auto wanted = parts_of(parts, samples);
  calibrate::FittedFile fitted;
  if (samples.device.kind == "cpu") {
    fitted =
        calibrate::fit_samples(samples, name, calibrate::cpu_card(samples), wanted, 1, nullptr);
  } else {
    const auto data = catalog::data_directory();
    const auto book = catalog::load_gpus(data);
    const hardware::Gpu& card = calibrate::card_of(samples.device, book, gpu);
    const auto in_force = catalog::load_calibration(data, card);
    fitted = calibrate::fit_samples(samples, name, card, wanted,
                                    catalog::load_sustained_rate(data, card).share, &in_force);
  }
  write_file(out, calibrate::calibration_json(calibrate::calibration_of(fitted, samples)));
  return fitted.parts;
}

}  // namespace gpucap::cli

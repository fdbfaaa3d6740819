#include "fit_samples.hpp"

#include "gpucap/calibrate/samples_file.hpp"
#include "gpucap/calibrate/samples_fit.hpp"
#include "gpucap/catalog/data_dir.hpp"
#include "gpucap/catalog/fits.hpp"
#include "gpucap/core/file.hpp"
#include "gpucap/core/nearest_name.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

/// A fit without parts changes nothing; one of samples that the card cannot have given means
/// nothing.
void require_sense(const calibrate::FittedFile& fitted, const std::string& file,
                   const std::set<std::string>& wanted) {
  std::vector<Problem> problems;
  const auto add = [&](std::string message, const char* code) {
    problems.push_back(Problem{file, "", "/samples", std::move(message), code});
  };
  if (fitted.parts.empty()) {
    add(fmt::format("holds too few samples of {}{}", fmt::join(wanted, ", "),
                    fitted.notes.empty() ? "" : ": " + fitted.notes),
        "too-few-samples");
  }
  for (const calibrate::FittedPart& part : fitted.parts) {
    std::int64_t refused = 0;
    for (const auto& [reason, count] : part.refused) refused += count;
    const std::int64_t used = part.points + part.held_out.points;
    if (refused > used) {
      add(fmt::format("{} of {} samples for {} are faster than {} can be: are times in "
                      "microseconds, and is it that card?",
                      refused, refused + used, part.part, fitted.gpu.id),
          "impossible-samples");
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

}  // namespace

calibrate::FittedFile fit_samples_file(const std::filesystem::path& samples_path,
                                       const std::string& gpu, const std::string& parts,
                                       const std::filesystem::path& out) {
  std::error_code none;
  if (std::filesystem::equivalent(samples_path, out, none)) {
    throw InputError(
        Problem{"", "", "--out", "is the samples file: it would be lost", "contradiction"});
  }
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
  require_sense(fitted, samples_path.string(), wanted);
  write_file(out, calibrate::calibration_json(calibrate::calibration_of(fitted, samples)));
  return fitted;
}

}  // namespace gpucap::cli

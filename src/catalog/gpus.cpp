#include "gpucap/catalog/gpus.hpp"

#include "gpucap/catalog/json_folder.hpp"
#include "gpucap/core/nearest_name.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpucap::catalog {
namespace {

constexpr std::string_view sheets_folder = "calibration/specs";

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// "RTX 4090" and "rtx_4090" as an id would write them.
std::string dashed(std::string_view text) {
  std::string out = lower(text);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c == ' ' || c == '_'; }, '-');
  return out;
}

}  // namespace

GpuBook::GpuBook(std::vector<GpuSheet> sheets) {
  std::sort(sheets.begin(), sheets.end(),
            [](const GpuSheet& a, const GpuSheet& b) { return a.gpu.id < b.gpu.id; });
  for (GpuSheet& sheet : sheets) {
    std::vector<std::string> names = std::move(sheet.aliases);
    names.push_back(sheet.gpu.id);
    for (const std::string& name : names) {
      if (by_name_.emplace(lower(name), gpus_.size()).second) continue;
      throw InputError(
          Problem{"", "", "", fmt::format("two GPUs are named \"{}\"", name), "duplicate-name"});
    }
    gpus_.push_back(std::move(sheet.gpu));
  }
}

const hardware::Gpu* GpuBook::find(std::string_view name) const {
  const auto found = by_name_.find(lower(name));
  return found == by_name_.end() ? nullptr : &gpus_[found->second];
}

std::string GpuBook::unknown(std::string_view name) const {
  const std::string wanted = dashed(name);
  std::vector<std::string> ids;
  std::vector<std::string> holding;
  for (const hardware::Gpu& gpu : gpus_) {
    ids.push_back(gpu.id);
    if (!wanted.empty() && gpu.id.find(wanted) != std::string::npos) holding.push_back(gpu.id);
  }
  const std::string fact = fmt::format("unknown GPU \"{}\"", name);
  if (holding.size() == 1) return fmt::format("{}; did you mean \"{}\"?", fact, holding.front());
  // A family name such as "a100" is close to "a10" by spelling, but its members are what is meant.
  if (wanted.size() >= 3 && !holding.empty()) {
    return fmt::format("{}; say which: {}", fact, fmt::join(holding, ", "));
  }
  return unknown_name("GPU", name, ids);
}

GpuBook load_gpus(const std::filesystem::path& data_directory) {
  std::vector<GpuSheet> sheets;
  for (const std::string& file : json_files(data_directory / sheets_folder)) {
    sheets.push_back(read_gpu(JsonDocument::read(file)));
  }
  return GpuBook(std::move(sheets));
}

std::optional<hardware::Gpu> load_gpu(const std::filesystem::path& data_directory,
                                      std::string_view id) {
  const auto file = json_file(data_directory / sheets_folder, lower(id));
  if (!file) return std::nullopt;
  return read_gpu(JsonDocument::read(*file)).gpu;
}

std::vector<std::string> gpu_ids(const std::filesystem::path& data_directory) {
  std::vector<std::string> ids;
  for (const std::string& file : json_files(data_directory / sheets_folder)) {
    ids.push_back(std::filesystem::path(file).stem().string());
  }
  return ids;
}

}  // namespace gpucap::catalog

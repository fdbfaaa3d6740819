#include "gpucap/report/files.hpp"

#include "gpucap/core/error.hpp"
#include "gpucap/report/columns.hpp"
#include "gpucap/report/costs_csv.hpp"
#include "gpucap/report/json.hpp"

#include <fstream>
#include <unistd.h>

namespace gpucap::report {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::string& why) {
  throw InputError(Problem{path.string(), "", "", why, "unwritable-file"});
}

/// Aside of the final file, and of that of any other run into the same folder.
std::string part_name(const std::string& name) {
  return name + "." + std::to_string(getpid()) + ".part";
}

}  // namespace

OutputFolder::OutputFolder(fs::path folder) : folder_(std::move(folder)) {
  std::error_code fault;
  if (fs::exists(folder_, fault) && !fs::is_directory(folder_, fault)) {
    fail(folder_, "is a file, not a folder");
  }
  for (fs::path above = folder_; !above.empty() && !fs::exists(above, fault);
       above = above.parent_path()) {
    made_.push_back(above);
  }
  fs::create_directories(folder_, fault);
  const std::string why = fault.message();
  if (fault) {
    remove_made();
    fail(folder_, "cannot be made: " + why);
  }
  if (access(folder_.c_str(), W_OK) != 0) fail(folder_, "cannot be written to");
}

void OutputFolder::remove_made() const {
  std::error_code ignored;
  for (const fs::path& folder : made_) fs::remove(folder, ignored);  // only when empty
}

OutputFolder::~OutputFolder() {
  if (committed_) return;
  std::error_code ignored;
  for (const std::string& name : names_) fs::remove(folder_ / part_name(name), ignored);
  remove_made();
}

fs::path OutputFolder::aside(const std::string& name) {
  names_.push_back(name);
  return folder_ / part_name(name);
}

void OutputFolder::add(const std::string& name, std::string_view content) {
  const fs::path path = aside(name);
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  if (!out) fail(folder_ / name, "cannot be written");
}

std::vector<std::string> OutputFolder::commit() {
  for (const std::string& name : names_) {
    std::error_code fault;
    fs::rename(folder_ / part_name(name), folder_ / name, fault);
    if (fault) fail(folder_ / name, "cannot be written: " + fault.message());
  }
  committed_ = true;
  return names_;
}

void add_run_files(OutputFolder& folder, const RunReport& report,
                   const std::map<std::string, CardPeaks>& peaks, std::span<const CostLine> costs) {
  folder.add("summary.csv", to_csv(summary(report)));
  folder.add("summary.json", run_json(report));
  folder.add("timeline.csv", to_csv(timeline(report, peaks)));
  folder.add("costs.csv", costs_csv(costs));
  const Listing drawn = intervals(report);
  if (!drawn.rows.empty()) folder.add("intervals.csv", to_csv(drawn));
}

}  // namespace gpucap::report

#pragma once

#include "gpucap/report/run_report.hpp"
#include "gpucap/report/timeline_csv.hpp"

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpucap::report {

/// A result folder that appears whole or not at all: files are written aside in it and renamed
/// together by `commit`. Without it the destructor removes what was written, and the folders that
/// were made for it. Faults of the file system are InputErrors that name the path.
class OutputFolder {
 public:
  explicit OutputFolder(std::filesystem::path folder);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// Writes a whole file aside.
  void add(const std::string& name, std::string_view content);
  /// Where to stream a file that is too large for memory; commit renames it too.
  std::filesystem::path aside(const std::string& name);
  /// All files get their names; returns these in the order in which they were added.
  std::vector<std::string> commit();

 private:
  void remove_made() const;

  std::filesystem::path folder_;
  std::vector<std::filesystem::path> made_;  ///< folders that were not there, the deepest first
  std::vector<std::string> names_;
  bool committed_ = false;
};

/// summary.csv, summary.json, timeline.csv and costs.csv of one run.
void add_run_files(OutputFolder& folder, const RunReport& report,
                   const std::map<std::string, CardPeaks>& peaks, std::span<const CostLine> costs);

}  // namespace gpucap::report

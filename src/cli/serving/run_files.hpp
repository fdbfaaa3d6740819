#pragma once

#include "gpucap/evaluate/serving.hpp"
#include "gpucap/record/sink.hpp"
#include "gpucap/report/run_report.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace gpucap::cli {

/// Lines of costs.csv for one evaluated candidate.
std::vector<report::CostLine> cost_lines(const std::string& load,
                                         const std::vector<account::LedgerLine>& bill);

/// requests.csv, written while requests finish; holds no more than one block of rows.
class RequestsFile {
 public:
  explicit RequestsFile(const std::filesystem::path& path);
  void begin(std::string load, std::string candidate);
  void write(const record::RequestRow& row);
  /// InputError when the file could not be written whole.
  void close();

 private:
  void flush();

  std::filesystem::path path_;
  std::ofstream out_;
  std::string rows_;  ///< not yet handed to the file
  std::string load_, candidate_;
};

}  // namespace gpucap::cli

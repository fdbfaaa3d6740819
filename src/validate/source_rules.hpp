#pragma once

#include "gpucap/scenario/options.hpp"
#include "gpucap/validate/serving_case.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "csv_file.hpp"

namespace gpucap::validate {

/// A name that a publication uses and the id that it stands for here.
struct Name {
  std::string id;
  std::string remark;  ///< what the name leaves open; empty when nothing
};
using Names = std::map<std::string, Name>;

/// What holds for the rows of a source whose cells match.
struct SourceRule {
  std::map<std::string, std::string> when;  ///< column -> text, `*` stands for anything
  std::optional<std::string> skip;          ///< why these rows cannot be compared
  bool calibration = false;
  std::vector<std::string> only;       ///< metrics to compare; empty: all
  scenario::Options options;           ///< set or replaced
  std::optional<std::string> variant;  ///< a further case of this name with the options
  std::string remark;                  ///< treatment or cause

  [[nodiscard]] bool holds(const CsvCells& row) const;
};

/// One published table and how to read it.
struct Source {
  std::string name, file, reader;
  scenario::Options options;       ///< of every row, where the row says nothing itself
  std::optional<double> draw_max;  ///< mean lengths are drawn exponentially, cut here
  std::vector<SourceRule> rules;
};

struct SourceBook {
  Names gpus, models, engines, weight_dtypes, kv_dtypes, hosts, implementations;
  std::vector<Source> sources;    ///< served runs
  std::vector<Source> operators;  ///< kernel times
};

/// Reads calibration/validation/sources.json below `data_dir`; InputError with every problem.
SourceBook load_sources(const std::filesystem::path& data_dir);

/// Sets an option, in place where it is there already.
void set_option(scenario::Options& options, const std::string& name, const std::string& value);

/// The reason of the first rule that skips the row.
std::optional<std::string> skip_reason(const Source& source, const CsvCells& row);

/// Applies the rules that hold to the case of a row: one case, and one more for each variant.
std::vector<ServingCase> ruled(const Source& source, const CsvCells& row, ServingCase one);

}  // namespace gpucap::validate

#include <stdexcept>

#include "readers.hpp"
#include <fmt/format.h>

namespace gpucap::validate {
namespace {

struct Kind {
  const char* name;
  ServingCase (*read)(const RowReader&, const CsvCells&);
  std::vector<std::string> columns;  ///< without which a table is another one
};

const Kind& kind_of(const std::string& name) {
  static const std::vector<Kind> kinds{
      {"bench",
       read_bench_row,
       {"case_id", "gpu", "engine", "engine_version", "model", "weight_dtype", "arrival"}},
      {"stages", read_stage_row, {"experiment", "stage", "stages", "gpu", "model", "itl_mean_ms"}},
      {"iterations", read_iteration_row, {"model", "gpu", "batch", "prompt_time_median_ms"}},
      {"llama-bench", read_llama_bench_row, {"gpu", "gpu_count", "phase", "throughput_tok_s"}}};
  for (const Kind& kind : kinds) {
    if (kind.name == name) return kind;
  }
  throw std::logic_error("a reader that the source book accepts is not in this table");
}

/// What a row is called where it cannot be predicted.
std::string label_of(const CsvCells& row) {
  for (const char* column : {"case_id", "experiment"}) {
    if (!row.text(column).empty()) return row.text(column);
  }
  return fmt::format("{} {}", row.text("model"), row.text("gpu"));
}

void read_row(const RowReader& reader, const Kind& kind, const CsvCells& row, ServingCases& found) {
  const auto skip = [&](std::string reason) {
    found.skipped.push_back({reader.source.name, label_of(row), std::move(reason)});
  };
  if (const auto reason = skip_reason(reader.source, row)) return skip(*reason);
  try {
    for (ServingCase& one : ruled(reader.source, row, kind.read(reader, row))) {
      if (one.measured.empty()) {
        skip("no figure of it can be compared");
      } else {
        found.cases.push_back(std::move(one));
      }
    }
  } catch (const CannotExpress& why) {
    skip(why.reason);
  }
}

}  // namespace

ServingCases measured_serving_cases(const std::filesystem::path& folder,
                                    const std::filesystem::path& data_dir) {
  const SourceBook book = load_sources(data_dir);
  ServingCases found;
  bool any = false;
  for (const Source& source : book.sources) {
    const auto path = folder / "serving" / source.file;
    if (!std::filesystem::exists(path)) {
      found.skipped.push_back({source.name, source.file, "the file is not in this folder"});
      continue;
    }
    any = true;
    const Kind& kind = kind_of(source.reader);
    const CsvFile table(path, kind.columns);
    for (const CsvCells& row : table.rows()) read_row({book, source}, kind, row, found);
  }
  if (!any) {
    throw InputError(Problem{(folder / "serving").string(), "", "",
                             "holds none of the tables that calibration/validation/sources.json "
                             "names; see docs/models/validation.md",
                             "no-measurements"});
  }
  return found;
}

}  // namespace gpucap::validate

#pragma once

#include "gpucap/validate/serving_case.hpp"

#include <filesystem>
#include <optional>
#include <string>

#include "csv_file.hpp"
#include "source_rules.hpp"

namespace gpucap::validate {

/// Why a row cannot be predicted; a reader throws it and the row is listed with the reason.
struct CannotExpress {
  std::string reason;
};

/// Turns rows of one kind of table into cases. A row that the project cannot express is thrown as
/// CannotExpress, a damaged one as InputError.
struct RowReader {
  const SourceBook& book;
  const Source& source;

  /// Card, model, engine and layout of a row: what every table states in its own columns.
  struct Setup {
    std::string gpu, model, engine, weight_dtype, kv_dtype, tensor_parallel;
  };
  [[nodiscard]] ServingCase started(const std::string& id, const Setup& setup) const;
};

/// vLLM's benchmark tool and its like: iog, cssnoeasy, gpustack, cloudrift, sglang.
ServingCase read_bench_row(const RowReader& reader, const CsvCells& row);
/// Stages of equal rate with shared system prompts: blis_ground_truth.
ServingCase read_stage_row(const RowReader& reader, const CsvCells& row);
/// Time of the prompt iteration of a batch: splitwise_perf_model.
ServingCase read_iteration_row(const RowReader& reader, const CsvCells& row);
/// llama-bench: pp (a prompt) and tg (an answer), one stream.
ServingCase read_llama_bench_row(const RowReader& reader, const CsvCells& row);

/// "217.39" as a drawn length, "512" as a constant one.
std::string drawn(double mean, std::optional<double> max);
/// The shortest text that reads back as the number.
std::string number_text(double value);

}  // namespace gpucap::validate

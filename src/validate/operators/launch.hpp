#pragma once

#include "gpucap/calibrate/split.hpp"
#include "gpucap/hardware/gpu.hpp"
#include "gpucap/perf/calibration.hpp"
#include "gpucap/perf/kernel.hpp"
#include "gpucap/scenario/library.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "csv_file.hpp"
#include "source_rules.hpp"

namespace gpucap::validate {

/// One measured kernel launch beside the predicted one.
struct Launch {
  std::string table, gpu, kernel;  ///< kernel: "GEMM", "decode attention", ...
  std::string shape;               ///< for people
  calibrate::SplitKey key;         ///< as the fits split such launches
  Seconds measured;
  perf::Work work;     ///< predicted
  bool fitted = true;  ///< some rows of such a table were fitted: only the rest count
  /// Arithmetic and traffic are facts: 16-bit operands, read once. Elsewhere a fit has a say in
  /// them (passes of streaming kernels, widths of stored formats).
  bool operands_known = false;
};

/// A card with everything that predictions on it need.
struct KnownCard {
  hardware::Gpu gpu;
  perf::Calibration calibration;
};

/// Predicts rows of operator tables; reads each card once.
class LaunchReader {
 public:
  LaunchReader(const SourceBook& book, scenario::Library& library)
      : book_(book), library_(library) {}

  /// The launch of a row of a table of this kind; nothing where the project has no such kernel,
  /// card or host. Throws InputError for damaged cells.
  std::optional<Launch> read(const Source& table, const CsvCells& row);

  /// The card of an id that a launch names.
  const KnownCard& card(const std::string& id);

 private:
  const SourceBook& book_;
  scenario::Library& library_;
  std::map<std::string, KnownCard> cards_;
};

/// One function per kind of table; each fills kernel, shape, key and work.
struct LaunchContext {
  const KnownCard& card;
  const SourceBook& book;
  scenario::Library& library;
};
std::optional<Launch> gemm_launch(const LaunchContext& context, const CsvCells& row);
std::optional<Launch> attention_launch(const LaunchContext& context, const CsvCells& row);
std::optional<Launch> mixed_launch(const LaunchContext& context, const CsvCells& row);
std::optional<Launch> expert_launch(const LaunchContext& context, const CsvCells& row);
std::optional<Launch> layer_launch(const LaunchContext& context, const CsvCells& row);
std::optional<Launch> collective_launch(const LaunchContext& context, const CsvCells& row);

/// Ceilings of the card for kernels that compute in `dtype`.
perf::Card card_of(const KnownCard& card, Dtype dtype = Dtype::bf16);

/// A whole number in a cell that must not be empty.
std::int64_t whole(const CsvCells& row, const std::string& column);

}  // namespace gpucap::validate

#pragma once

#include "gpucap/calibrate/sample.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gpucap::calibrate {

/// A coefficient that is stated instead of fitted.
struct Hold {
  std::string value;  ///< with its unit: "18 us"
  std::string reason;
};

/// A streaming kernel and the layer of the tables that measures it.
struct KernelPlan {
  perf::ElementwiseKernel kernel;  ///< passes are fitted
  std::string layer;
  std::string symbol;  ///< of its passes in `fit.parameters`
};

/// How one part of a fit file comes about.
struct PartPlan {
  std::vector<std::string> tables;  ///< file names; empty = every table of the right kind
  RowFilter rows;
  std::map<std::string, Hold> hold;      ///< by key of the coefficient
  std::map<std::string, Hold> at_least;  ///< lower bounds of fitted coefficients
  std::set<std::string> without;    ///< coefficients that this part does not have: no such term
  std::optional<Bytes> cold_from;   ///< instead of the L2 of the spec sheet
  bool all_launches = false;        ///< L2-warm ones are fitted too
  bool tiles = true;                ///< products are rounded to whole tiles and waves of them
  std::vector<KernelPlan> kernels;  ///< of "elementwise"
  std::string source;               ///< of the measurements, for the file
};

/// One set of a file of collectives: where it was measured and which rows it is.
struct SetPlan {
  std::string host;            ///< id of the data files
  std::string card;            ///< id; a "gpu" column must hold it
  int ranks = 2;               ///< at least 2
  std::string implementation;  ///< library or engine and its version: "vllm-0.19"
  std::string collective = "all_reduce";
  RowFilter rows;
  /// Payloads at which the library is known to change its algorithm: one list per candidate form.
  std::vector<std::vector<Bytes>> limits;
  std::string source;
};

/// A set with too few measurements to fit: its figures are stated with their source.
struct StatedSet {
  SetPlan set;
  Seconds alpha;    ///< start cost: time of the smallest payload
  Bandwidth busbw;  ///< as nccl-tests counts it
  double q = 1;     ///< of the transition between the two
};

/// Everything that decides a fit file beside the samples: calibration/plans/<name>.json.
struct FitPlan {
  std::string card;
  std::map<std::string, PartPlan> parts;
  /// Columns that a table leaves out, by file name: {"attention_mixed_4090.csv": {"heads": "32"}}.
  std::map<std::string, std::map<std::string, std::string>> columns;
  std::vector<SetPlan> sets;  ///< of a file of collectives, in its order
  std::vector<StatedSet> stated;
  std::vector<std::string> set_tables;  ///< of a file of collectives
  std::string notes;

  /// File names of all tables that the plan names, each once, in order.
  [[nodiscard]] std::vector<std::string> tables() const;
  /// What the plan states for a table's rows, beside its columns.
  [[nodiscard]] std::map<std::string, std::string> columns_of(const std::string& table) const;
};

/// Throws InputError with every problem of the file.
FitPlan read_plan(const std::filesystem::path& path);

/// Rows of known tables that no fit may use: calibration/exclusions.json below the data folder.
/// Throws InputError with every problem of the file.
std::vector<Exclusion> read_exclusions(const std::filesystem::path& data_dir);

}  // namespace gpucap::calibrate

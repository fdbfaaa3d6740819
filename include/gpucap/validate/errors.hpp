#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::validate {

/// Predicted over measured less 1; a share, not per cent. Measured must be above zero.
double error_of(double predicted, double measured);

/// How far a set of predictions is off. Everything but the count is absent for an empty set.
struct ErrorSummary {
  std::int64_t count = 0;
  std::optional<double> bias;    ///< mean of the signed errors
  std::optional<double> median;  ///< of the absolute errors, nearest rank
  std::optional<double> p95;     ///< of the absolute errors, nearest rank
  std::optional<double> worst;   ///< the signed error that is largest in size
};

/// Of signed errors as error_of gives them.
ErrorSummary summarize_errors(const std::vector<double>& errors);

/// One predicted figure beside the measured one.
struct Figure {
  std::string suite;   ///< "serving"
  std::string source;  ///< "iog"
  std::string id;      ///< case of the source
  std::string gpu;     ///< card id
  std::string engine;  ///< engine id; empty for kernels
  std::string model;
  std::string group;      ///< load zone, or the kind of kernel
  std::string metric;     ///< "throughput", "ttft", "tpot", "e2e", "kv tokens"; "cold", "warm"
  std::string statistic;  ///< "p50", "mean", "out tok/s"; of kernels "us"
  double measured = 0;    ///< latencies s, rates per s, pools tokens, kernels us
  double predicted = 0;
  bool calibration = false;  ///< used to set a constant: no evidence
  bool main = true;          ///< the one figure of its metric that summaries count
  std::string cause;         ///< why it is off, or how the row was treated

  [[nodiscard]] double error() const { return error_of(predicted, measured); }
};

/// A row that could not be predicted, and why; or many rows of a large table.
struct Skipped {
  std::string source;
  std::string id;
  std::string reason;
  std::int64_t rows = 1;
};

}  // namespace gpucap::validate

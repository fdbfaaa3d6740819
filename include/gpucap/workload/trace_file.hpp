#pragma once

#include "gpucap/core/error.hpp"
#include "gpucap/workload/trace.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::workload {

struct PlainRow;

/// A trace that is replayed several times. It is read once from its first byte to its last, which
/// hashes it, finds its faults and keeps its requests where they are few and name no blocks; larger
/// ones are read from the file again.
class TraceFile {
 public:
  /// InputError when the file cannot be opened; other faults wait for check().
  TraceFile(std::filesystem::path path, const TraceOptions& options);

  /// Hash of the bytes of the file, for `inputs_sha256`; of no use when check() throws.
  [[nodiscard]] const std::string& sha256() const { return sha256_; }
  /// RequestStream::block_tokens of the trace. InputError when not even its first row is good.
  [[nodiscard]] std::int64_t block_tokens() const;
  /// InputError for the first row that is bad, or that arrives too late in a replay which is so
  /// many times as fast; for a pipe, when it would have to be read again.
  void check(double rate_scale) const;
  /// The requests, those of open_trace() with the same options and this rate_scale.
  [[nodiscard]] std::unique_ptr<RequestStream> open(double rate_scale) const;

 private:
  void keep(RequestStream& requests);

  std::filesystem::path path_;
  TraceOptions options_;
  std::string sha256_;
  std::optional<InputError> fault_;
  std::optional<std::int64_t> block_tokens_;  ///< absent: not even the first row is good
  SimTime last_;                              ///< arrival of the last request
  std::int64_t dropped_ = 0;
  std::shared_ptr<const std::vector<PlainRow>> rows_;  ///< null: not kept
};

}  // namespace gpucap::workload

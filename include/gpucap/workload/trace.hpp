#pragma once

#include "gpucap/units/parse.hpp"
#include "gpucap/workload/request.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpucap::workload {

/// Trace files that can be read, always by name: the same column name means different units in
/// different formats, so none is guessed.
enum class TraceFormat {
  azure,     ///< CSV TIMESTAMP (date and time), ContextTokens, GeneratedTokens; 0 is the first row
  vidur,     ///< CSV arrived_at (seconds), num_prefill_tokens, num_decode_tokens, others ignored
  mooncake,  ///< JSON lines timestamp (ms), input_length, output_length, hash_ids (optional)
  gpucap,    ///< CSV arrival_s, prompt_tokens, output_tokens, prompt_blocks (optional, by spaces)
};

std::string_view name(TraceFormat format);

/// All names, in the order of the enumeration.
std::vector<std::string> trace_format_names();

/// An unknown name is a failure that offers the nearest one.
Parsed<TraceFormat> parse_trace_format(std::string_view text);

struct TraceOptions {
  TraceFormat format = TraceFormat::gpucap;
  /// Tokens per entry of hash_ids or prompt_blocks. Absent: 512 (mooncake) or 16 (gpucap). A row
  /// names every block of its prompt; the last one may be partial or left out.
  std::optional<std::int64_t> block_tokens = std::nullopt;
  double rate_scale = 1;  ///< 2 halves every arrival time: twice the rate
  std::optional<std::int64_t> limit = std::nullopt;  ///< only the first so many requests
};

/// Opens a trace, plain or compressed (gzip, zstd: told by its first bytes), and reads it row by
/// row as requests are asked for. Rows must be in order of arrival. Rows with 0 prompt or 0 output
/// tokens are dropped and counted. InputError names file, line, column: here for options, header
/// and first request, later from next() for the rows after it.
std::unique_ptr<RequestStream> open_trace(const std::filesystem::path& path,
                                          const TraceOptions& options);

/// Writes a stream to its end as gpucap CSV (exact to the nanosecond) or Mooncake JSON lines, aside
/// and renamed, and returns the number of requests. InputError for the formats that are only read.
std::int64_t write_trace(RequestStream& requests, const std::filesystem::path& path,
                         TraceFormat format = TraceFormat::gpucap);

}  // namespace gpucap::workload

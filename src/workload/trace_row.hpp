#pragma once

#include "gpucap/units/parse.hpp"
#include "gpucap/units/quantity.hpp"
#include "gpucap/units/sim_time.hpp"
#include "gpucap/workload/trace.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "line_reader.hpp"

namespace gpucap::workload {

/// One row of a trace file, checked by itself but not against its neighbours.
struct TraceRow {
  SimTime arrival;
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
  std::vector<std::uint64_t> blocks;
  Place arrival_place;
};

/// The same without blocks and place.
struct PlainRow {
  SimTime arrival;
  std::int32_t prompt_tokens = 0, output_tokens = 0;
};

/// Reads the rows of one format; the order of rows, dropping and scaling are not its matter.
class RowReader {
 public:
  virtual ~RowReader() = default;
  /// Fills `row`; false at the end of the file. InputError for a row that cannot be read.
  virtual bool next(TraceRow& row) = 0;
  /// Reads the next rows into `rows`, as many as can be taken without looking closely: in order of
  /// arrival, also after the row before, and without blocks. 0: next() must look at the next row.
  virtual std::size_t next_plain(std::span<PlainRow> /*rows*/) { return 0; }
  [[nodiscard]] virtual std::int64_t block_tokens() const = 0;
  [[nodiscard]] virtual const LineReader& lines() const = 0;
  /// What the arrival is called in the file.
  [[nodiscard]] virtual std::string_view arrival_column() const = 0;
};

/// `block_tokens` is 0 for formats that name no blocks.
std::unique_ptr<RowReader> read_csv(LineReader lines, TraceFormat format,
                                    std::int64_t block_tokens);
std::unique_ptr<RowReader> read_mooncake(LineReader lines, std::int64_t block_tokens);

/// A token count of a trace: a whole number from 0 to 2^31 - 1, so that 64-bit sums never overflow.
Parsed<std::int64_t> checked_tokens(std::int64_t tokens);
Parsed<std::int64_t> parse_tokens(std::string_view text);

/// A finite time since the start of the trace, not negative, within 292 years.
Parsed<SimTime> checked_arrival(Seconds since_start);

/// "2023-11-16 18:17:03.9799600", 0 to 9 fractional digits, optional zone (Z, +02:00): nanoseconds
/// since 1970 without the zone's shift.
Parsed<SimTime> parse_date_time(std::string_view text);

/// Why `count` block ids cannot be those of a prompt; nothing when they can.
std::optional<ParseFailure> bad_block_count(std::int64_t count, std::int64_t prompt_tokens,
                                            std::int64_t block_tokens);

}  // namespace gpucap::workload

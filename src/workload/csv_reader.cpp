#include <charconv>
#include <optional>
#include <utility>

#include "csv_table.hpp"
#include "plain_row.hpp"
#include "trace_row.hpp"
#include <fmt/format.h>

namespace gpucap::workload {
namespace {

Parsed<SimTime> parse_seconds(std::string_view text) {
  const auto number = parse_number(text);
  if (number) return checked_arrival(*number * unit::s);
  return ParseFailure{fmt::format("\"{}\" is not a number", excerpt(text)), "not-a-number"};
}

/// Column names and the reading of the arrival: all that tells one CSV format from another.
struct CsvFormat {
  std::string_view arrival, prompt, output, blocks;  ///< no blocks: empty
  Parsed<SimTime> (*parse_arrival)(std::string_view);
  bool arrival_is_date;
  bool relative_to_first_row;
};

CsvFormat csv_format(TraceFormat format) {
  switch (format) {
    case TraceFormat::azure:
      return {"TIMESTAMP", "ContextTokens", "GeneratedTokens", "", parse_date_time, true, true};
    case TraceFormat::vidur:
      return {"arrived_at", "num_prefill_tokens", "num_decode_tokens", "", parse_seconds, false,
              false};
    case TraceFormat::mooncake:
    case TraceFormat::gpucap:
      break;
  }
  return {"arrival_s", "prompt_tokens", "output_tokens", "prompt_blocks", parse_seconds, false,
          false};
}

class CsvReader final : public RowReader {
 public:
  CsvReader(LineReader lines, const CsvFormat& format, std::int64_t block_tokens)
      : format_(format), block_tokens_(block_tokens), table_(std::move(lines)) {
    const auto arrival = table_.column(format.arrival);
    const auto prompt = table_.column(format.prompt);
    const auto output = table_.column(format.output);
    if (!format.blocks.empty()) blocks_ = table_.column(format.blocks, true);
    table_.finish_header();
    arrival_ = *arrival, prompt_ = *prompt, output_ = *output;
    plain_.emplace(columns(), format.arrival_is_date, block_tokens);
  }

  bool next(TraceRow& row) override {
    if (!read_plainly(row) && !read_strictly(row)) return false;
    row.arrival_place.line = table_.lines().number();
    if (!latest_ && format_.relative_to_first_row) origin_ = row.arrival;
    latest_ = row.arrival;
    row.arrival.ns -= origin_.ns;
    return true;
  }

  std::size_t next_plain(std::span<PlainRow> rows) override {
    if (blocks_ || !latest_) return 0;
    const auto taken = plain_->read(table_.lines().ahead(), *latest_, rows);
    if (taken.rows == 0) return 0;
    table_.lines().skip(taken.bytes, taken.rows);
    latest_ = rows[taken.rows - 1].arrival;
    for (PlainRow& row : rows.first(taken.rows)) row.arrival.ns -= origin_.ns;
    return taken.rows;
  }

  [[nodiscard]] std::int64_t block_tokens() const override { return blocks_ ? block_tokens_ : 0; }
  [[nodiscard]] const LineReader& lines() const override { return table_.lines(); }
  [[nodiscard]] std::string_view arrival_column() const override { return format_.arrival; }

 private:
  [[nodiscard]] std::vector<Column> columns() const {
    std::vector<Column> columns(table_.names().size(), Column::other);
    columns[arrival_] = Column::arrival;
    columns[prompt_] = Column::prompt;
    columns[output_] = Column::output;
    if (blocks_) columns[*blocks_] = Column::blocks;
    return columns;
  }

  bool read_plainly(TraceRow& row) {
    const std::size_t bytes = plain_->read(table_.lines().ahead(), row);
    if (bytes == 0) return false;
    table_.lines().skip(bytes, 1);
    return true;
  }

  bool read_strictly(TraceRow& row) {
    if (!table_.next()) return false;
    row.arrival = read(format_.parse_arrival, arrival_);
    row.prompt_tokens = read(parse_tokens, prompt_);
    row.output_tokens = read(parse_tokens, output_);
    row.arrival_place = table_.place(arrival_);
    if (blocks_) read_blocks(row);
    return true;
  }

  template <class T>
  T read(Parsed<T> (*parse)(std::string_view), std::size_t column) const {
    const Parsed<T> value = parse(table_.text(column));
    if (value) return *value;
    throw InputError(table_.problem(column, value.failure().message, value.failure().code));
  }

  void read_blocks(TraceRow& row) const {
    row.blocks.clear();
    const std::string_view text = table_.text(*blocks_);
    for (std::size_t at = 0; (at = text.find_first_not_of(' ', at)) != std::string_view::npos;) {
      std::uint64_t id = 0;
      const char* const last = text.data() + text.size();
      const auto [end, fault] = std::from_chars(text.data() + at, last, id);
      if (fault != std::errc{} || (end != last && *end != ' ')) {
        const auto word = excerpt(text.substr(at, text.find(' ', at) - at));
        throw InputError(
            table_.problem(*blocks_, fmt::format("\"{}\" is not a block id", word), "not-a-count"));
      }
      row.blocks.push_back(id);
      at = static_cast<std::size_t>(end - text.data());
    }
    if (const auto bad = bad_block_count(static_cast<std::int64_t>(row.blocks.size()),
                                         row.prompt_tokens, block_tokens_)) {
      throw InputError(table_.problem(*blocks_, bad->message, bad->code));
    }
  }

  CsvFormat format_;
  std::int64_t block_tokens_;
  CsvTable table_;
  std::size_t arrival_ = 0, prompt_ = 0, output_ = 0;
  std::optional<std::size_t> blocks_;
  SimTime origin_;
  std::optional<SimTime> latest_;   ///< of the row before, as the file has it
  std::optional<PlainRows> plain_;  ///< once the header is known
};

}  // namespace

std::unique_ptr<RowReader> read_csv(LineReader lines, TraceFormat format,
                                    std::int64_t block_tokens) {
  return std::make_unique<CsvReader>(std::move(lines), csv_format(format), block_tokens);
}

}  // namespace gpucap::workload

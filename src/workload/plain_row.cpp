#include "plain_row.hpp"

#include <charconv>
#include <cstring>
#include <string>
#include <utility>

#include "digits.hpp"

namespace gpucap::workload {
namespace {

constexpr std::string_view minute_layout = "2023-11-16 18:17";
constexpr std::int64_t ns_per_s = 1'000'000'000;

/// Nanoseconds of a fraction of so many digits with the value 1.
constexpr std::int64_t ns_per_unit[] = {ns_per_s, 100'000'000, 10'000'000, 1'000'000, 100'000,
                                        10'000,   1'000,       100,        10};

constexpr std::uint64_t powers_of_ten[] = {1,       10,        100,        1'000,      10'000,
                                           100'000, 1'000'000, 10'000'000, 100'000'000};
/// Up to here every whole number is a double.
constexpr std::uint64_t largest_exact = std::uint64_t{1} << 53;

/// Bytes of the line end at `at`, 0 when there is none.
std::size_t line_end(const char* at) {
  if (*at == '\n') return 1;
  return at[0] == '\r' && at[1] == '\n' ? 2 : 0;
}

template <class Count>
const char* read_tokens(const char* at, Count& tokens) {
  const Digits digits = read_digits(at);
  tokens = static_cast<Count>(digits.value);
  // A ninth digit is found by whoever expects the end of the field.
  return digits.count == 0 ? nullptr : at + digits.count;
}

const char* read_any_seconds(const char* at, const char* last, SimTime& arrival) {
  double s = 0;
  const auto [end, fault] = std::from_chars(at, last, s);
  if (fault != std::errc{}) return nullptr;
  const auto checked = checked_arrival(s * unit::s);
  if (!checked) return nullptr;
  arrival = *checked;
  return end;
}

/// Seconds as most are written: digits, a point, digits. The quotient of two whole numbers below
/// 2^53 is rounded once, as the nearest double of the text is (Clinger 1990).
const char* read_seconds(const char* const at, const char* last, SimTime& arrival) {
  const Digits whole = read_digits(at);
  const char* const point = at + whole.count;
  if (whole.count == 0 || *point != '.') return read_any_seconds(at, last, arrival);
  const Digits part = read_digits(point + 1);
  const char* end = point + 1 + part.count;
  std::uint64_t scale = powers_of_ten[part.count], units = whole.value * scale + part.value;
  if (part.count == 8 && is_digit(*end)) {
    units = units * 10 + static_cast<std::uint64_t>(*end++ - '0');
    scale *= 10;
  }
  const bool ended = *end == ',' || *end == '\n' || *end == '\r';
  if (part.count == 0 || !ended || units > largest_exact) {
    return read_any_seconds(at, last, arrival);
  }
  arrival = to_sim_time(static_cast<double>(units) / static_cast<double>(scale) * unit::s);
  return end;
}

const char* read_block(const char* at, const char* last, std::uint64_t& id) {
  const Digits digits = read_digits(at);
  id = digits.value;
  if (digits.count < 8) return digits.count == 0 ? nullptr : at + digits.count;
  const auto [end, fault] = std::from_chars(at, last, id);
  return fault == std::errc{} ? end : nullptr;
}

const char* read_blocks(const char* at, const char* last, std::vector<std::uint64_t>& blocks) {
  blocks.clear();
  while (true) {
    while (*at == ' ') ++at;
    if (!is_digit(*at)) return at;
    std::uint64_t id = 0;
    at = read_block(at, last, id);
    if (at == nullptr) return nullptr;
    blocks.push_back(id);
    if (*at != ' ') return at;
  }
}

const char* skip_field(const char* at) {
  // The zero stands behind the text.
  while (*at != ',' && *at != '\n' && *at != '\r' && *at != '"' && *at != '\0') ++at;
  return at;
}

/// Behind a fraction of a second with its point, where there is one.
const char* read_fraction(const char* at, std::int64_t& ns) {
  if (*at != '.') return at;
  const Digits digits = read_digits(++at);
  if (digits.count == 0) return nullptr;
  ns += static_cast<std::int64_t>(digits.value) * ns_per_unit[digits.count];
  at += digits.count;
  if (digits.count == 8 && is_digit(*at)) ns += *at++ - '0';
  return at;
}

}  // namespace

PlainRows::PlainRows(std::vector<Column> columns, bool dates, std::int64_t block_tokens)
    : columns_(std::move(columns)),
      dates_(dates),
      usual_(columns_ == std::vector{Column::arrival, Column::prompt, Column::output}),
      block_tokens_(block_tokens) {}

inline const char* PlainRows::read_field(Column column, const char* at, const char* last,
                                         TraceRow& row) {
  switch (column) {
    case Column::arrival:
      return read_arrival(at, last, row.arrival);
    case Column::prompt:
      return read_tokens(at, row.prompt_tokens);
    case Column::output:
      return read_tokens(at, row.output_tokens);
    case Column::blocks:
      return read_blocks(at, last, row.blocks);
    case Column::other:
      break;
  }
  return skip_field(at);
}

bool PlainRows::enter_minute(const char* at) {
  const auto start = parse_date_time(std::string(at, minute_layout.size()) + ":00");
  if (!start) return false;
  minute_ns_ = (*start).ns;
  std::memcpy(minute_text_, at, sizeof minute_text_);
  return true;
}

inline const char* PlainRows::read_date(const char* at, SimTime& arrival) {
  // Most rows are of the same minute as the one above, so that only seconds are left to read.
  if (std::memcmp(at, minute_text_, sizeof minute_text_) != 0 && !enter_minute(at)) return nullptr;
  at += minute_layout.size();
  if (at[0] != ':' || at[1] < '0' || at[1] > '5' || !is_digit(at[2])) return nullptr;
  std::int64_t ns = minute_ns_ + ((at[1] - '0') * 10 + (at[2] - '0')) * ns_per_s;
  at = read_fraction(at + 3, ns);
  arrival.ns = ns;
  if (at != nullptr && *at == '+') {
    constexpr std::string_view utc = "+00:00";
    return std::string_view(at, utc.size()) == utc ? at + utc.size() : nullptr;
  }
  return at;
}

inline const char* PlainRows::read_arrival(const char* at, const char* last, SimTime& arrival) {
  return dates_ ? read_date(at, arrival) : read_seconds(at, last, arrival);
}

/// The layout of the published traces, without a decision per column.
inline const char* PlainRows::read_usual(const char* at, const char* last, PlainRow& row) {
  at = read_arrival(at, last, row.arrival);
  if (at == nullptr || *at != ',') return nullptr;
  at = read_tokens(at + 1, row.prompt_tokens);
  if (at == nullptr || *at != ',') return nullptr;
  return read_tokens(at + 1, row.output_tokens);
}

const char* PlainRows::read_any(const char* const line, const char* last, TraceRow& row) {
  const char* at = line;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (i > 0 && *at++ != ',') return nullptr;
    if (columns_[i] == Column::arrival) row.arrival_place.column = at - line + 1;
    at = read_field(columns_[i], at, last, row);
    if (at == nullptr) return nullptr;
  }
  const auto blocks = static_cast<std::int64_t>(row.blocks.size());
  const bool good = blocks == 0 || !bad_block_count(blocks, row.prompt_tokens, block_tokens_);
  return good ? at : nullptr;
}

std::size_t PlainRows::read(std::string_view text, TraceRow& row) {
  const char* const line = text.data();
  const char* const at = read_any(line, line + text.size(), row);
  const std::size_t end = at == nullptr ? 0 : line_end(at);
  return end == 0 ? 0 : static_cast<std::size_t>(at - line) + end;
}

inline const char* PlainRows::read_plain(const char* line, const char* last, PlainRow& row) {
  if (usual_) return read_usual(line, last, row);
  TraceRow full;
  const char* const end = read_any(line, last, full);
  row = {full.arrival, static_cast<std::int32_t>(full.prompt_tokens),
         static_cast<std::int32_t>(full.output_tokens)};
  return end;
}

PlainRows::Taken PlainRows::read(std::string_view text, SimTime latest, std::span<PlainRow> rows) {
  const char* line = text.data();
  const char* const last = line + text.size();
  std::size_t count = 0;
  for (; count < rows.size(); ++count) {
    const char* const end = read_plain(line, last, rows[count]);
    const std::size_t ended = end == nullptr ? 0 : line_end(end);
    if (ended == 0 || rows[count].arrival < latest) break;
    latest = rows[count].arrival;
    line = end + ended;
  }
  return {count, static_cast<std::size_t>(line - text.data())};
}

}  // namespace gpucap::workload

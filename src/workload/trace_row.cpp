#include "trace_row.hpp"

#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace gpucap::workload {
namespace {

/// Reads a text piece by piece; one failure makes all that follows fail.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  /// Exactly `count` decimal digits.
  int digits(std::size_t count) {
    int value = 0;
    const std::string_view piece = rest_.substr(0, count);
    const auto [end, fault] = std::from_chars(piece.data(), piece.data() + piece.size(), value);
    good_ = good_ && fault == std::errc{} && piece.size() == count && piece[0] != '-' &&
            end == piece.data() + count;
    rest_.remove_prefix(piece.size());
    return value;
  }

  /// One of the given characters, or 0.
  char one_of(std::string_view wanted) {
    if (rest_.empty() || wanted.find(rest_[0]) == std::string_view::npos) return 0;
    const char found = rest_[0];
    rest_.remove_prefix(1);
    return found;
  }

  void require(char wanted) { good_ = one_of({&wanted, 1}) && good_; }

  /// Up to nine digits after the point, in nanoseconds.
  std::int64_t fraction_ns() {
    if (!one_of(".")) return 0;
    std::int64_t ns = 0, weight = 100'000'000;
    std::size_t count = 0;
    for (; count < rest_.size() && rest_[count] >= '0' && rest_[count] <= '9'; ++count) {
      ns += (rest_[count] - '0') * weight;
      weight /= 10;
    }
    good_ = good_ && count >= 1 && count <= 9;
    rest_.remove_prefix(count);
    return ns;
  }

  [[nodiscard]] bool finished() const { return good_ && rest_.empty(); }
  [[nodiscard]] bool good() const { return good_; }

 private:
  std::string_view rest_;
  bool good_ = true;
};

std::chrono::seconds read_zone(Cursor& cursor) {
  const char sign = cursor.one_of("Z+-");
  if (sign == 0 || sign == 'Z') return std::chrono::seconds{0};
  const int hours = cursor.digits(2);
  cursor.require(':');
  const int minutes = cursor.digits(2);
  const std::chrono::seconds shift = std::chrono::hours(hours) + std::chrono::minutes(minutes);
  return sign == '+' ? shift : -shift;
}

std::chrono::year_month_day read_date(Cursor& cursor) {
  const int year = cursor.digits(4);
  cursor.require('-');
  const int month = cursor.digits(2);
  cursor.require('-');
  const int day = cursor.digits(2);
  return std::chrono::year(year) / month / day;
}

/// Time of day, or nothing when it does not exist.
std::optional<std::chrono::seconds> read_clock(Cursor& cursor) {
  const int hour = cursor.digits(2);
  cursor.require(':');
  const int minute = cursor.digits(2);
  cursor.require(':');
  const int second = cursor.digits(2);
  if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
  return std::chrono::hours(hour) + std::chrono::minutes(minute) + std::chrono::seconds(second);
}

}  // namespace

Parsed<std::int64_t> checked_tokens(std::int64_t tokens) {
  if (tokens < 0) return ParseFailure{fmt::format("{} is negative", tokens), "out-of-range"};
  if (tokens > std::numeric_limits<std::int32_t>::max()) {
    return ParseFailure{fmt::format("{} tokens are too many for one request", tokens),
                        "out-of-range"};
  }
  return tokens;
}

Parsed<std::int64_t> parse_tokens(std::string_view text) {
  const auto tokens = parse_count(text);
  if (tokens) return checked_tokens(*tokens);
  return ParseFailure{fmt::format("\"{}\" is not a whole number", excerpt(text)), "not-a-count"};
}

Parsed<SimTime> checked_arrival(Seconds since_start) {
  const double s = since_start.in(unit::s);
  if (!std::isfinite(s)) return ParseFailure{"the time is not a finite number", "not-a-number"};
  if (s < 0) return ParseFailure{fmt::format("a time of {} s is negative", s), "out-of-range"};
  if (s > 9e9) {
    return ParseFailure{
        fmt::format("a time of {:g} s is beyond 285 years; the file may be in another unit", s),
        "out-of-range"};
  }
  return to_sim_time(since_start);
}

Parsed<SimTime> parse_date_time(std::string_view text) {
  Cursor cursor(text);
  const auto date = read_date(cursor);
  if (!cursor.one_of(" T")) cursor.require(' ');
  const auto clock = read_clock(cursor);
  const std::int64_t fraction = cursor.fraction_ns();
  const std::chrono::seconds zone = read_zone(cursor);
  // Years that nanoseconds in 64 bits can count.
  const bool representable = date.year() >= std::chrono::year(1970) &&
                             date.year() <= std::chrono::year(2200) && date.ok() && clock;
  if (!cursor.finished() || !representable) {
    return ParseFailure{
        fmt::format("\"{}\" is not a date and time such as 2023-11-16 18:17:03.9799600",
                    excerpt(text)),
        "not-a-time"};
  }
  const auto whole = std::chrono::sys_days(date).time_since_epoch() + *clock - zone;
  return SimTime{std::chrono::nanoseconds(whole).count() + fraction};
}

std::optional<ParseFailure> bad_block_count(std::int64_t count, std::int64_t prompt_tokens,
                                            std::int64_t block_tokens) {
  const std::int64_t whole = prompt_tokens / block_tokens;
  const std::int64_t all = whole + (prompt_tokens % block_tokens != 0);
  if (count == 0 || (count >= whole && count <= all)) return std::nullopt;
  const std::string wanted =
      whole == all ? std::to_string(all) : fmt::format("{} or {}", whole, all);
  return ParseFailure{
      fmt::format(
          "{} block ids for {} prompt tokens, but blocks of {} tokens make {}; is the block "
          "size right?",
          count, prompt_tokens, block_tokens, wanted),
      "block-count"};
}

}  // namespace gpucap::workload

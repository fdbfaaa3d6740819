#include "job_fields.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "digits.hpp"
#include "line_reader.hpp"
#include <fmt/format.h>

namespace gpucap::workload {
namespace {

constexpr std::int64_t gpu_parts = 1000;
// So that thousandths of GPUs times a million jobs stay within 64 bits.
constexpr std::int64_t most_gpus = 1'000'000;

ParseFailure no_number(std::string_view text) {
  return {fmt::format("\"{}\" is not a number", excerpt(text)), "not-a-number"};
}

/// The digits behind the point, in parts of `units`; nothing when one that counts is left over.
std::optional<std::int64_t> fraction_parts(std::string_view digits, std::int64_t units) {
  std::int64_t parts = 0;
  for (const char c : digits) {
    units /= 10;
    if (!is_digit(c) || (units == 0 && c != '0')) return std::nullopt;
    parts += (c - '0') * units;
  }
  return parts;
}

}  // namespace

std::optional<std::int64_t> decimal_parts(std::string_view text, std::int64_t units) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  std::int64_t whole = 0;
  const char* const last = text.data() + text.size();
  const auto [end, fault] = std::from_chars(text.data(), last, whole);
  if (fault != std::errc{} || whole >= std::numeric_limits<std::int64_t>::max() / units) {
    return std::nullopt;
  }
  std::int64_t parts = whole * units;
  if (end != last) {
    if (*end != '.') return std::nullopt;
    const auto fraction = fraction_parts({end + 1, last}, units);
    if (!fraction) return std::nullopt;
    parts += *fraction;
  }
  return negative ? -parts : parts;
}

Parsed<SimTime> parse_run_time(std::string_view text) {
  if (const auto ns = decimal_parts(text, ns_per_second); ns && std::abs(*ns) <= latest_time.ns) {
    return SimTime{*ns};
  }
  const auto number = parse_number(text);
  if (!number) return no_number(text);
  const Seconds time = *number * unit::s;
  if (std::fabs(*number) <= as_seconds(latest_time)) return to_sim_time(time);
  return ParseFailure{
      fmt::format("a time of {:g} s is beyond 142 years; the file may be in another unit", *number),
      "out-of-range"};
}

Parsed<SimTime> parse_submit(std::string_view text) {
  const auto time = parse_run_time(text);
  if (!time || (*time).ns >= 0) return time;
  return ParseFailure{fmt::format("a time of {} s is negative", text), "out-of-range"};
}

Parsed<std::int64_t> parse_gpus(std::string_view text) {
  const auto parts = decimal_parts(text, gpu_parts);
  if (parts && *parts <= most_gpus * gpu_parts) return *parts;
  if (!parse_number(text)) return no_number(text);
  return ParseFailure{
      fmt::format("\"{}\" GPUs are beyond a million or finer than a thousandth", excerpt(text)),
      "out-of-range"};
}

Parsed<std::int64_t> parse_whole(std::string_view text) {
  const auto count = parse_count(text);
  if (count) return count;
  return ParseFailure{fmt::format("\"{}\" is not a whole number", excerpt(text)), "not-a-count"};
}

Parsed<std::int64_t> parse_positive(std::string_view text) {
  const auto count = parse_whole(text);
  if (!count || *count >= 1) return count;
  return ParseFailure{fmt::format("{} is below 1", *count), "out-of-range"};
}

Parsed<Frequency> parse_iteration_rate(std::string_view text) {
  const auto number = parse_number(text);
  if (!number) return no_number(text);
  if (*number > 0) return *number * unit::per_s;
  return ParseFailure{fmt::format("{} iterations per second are not above 0", *number),
                      "out-of-range"};
}

std::vector<std::string> split_models(std::string_view text) {
  std::vector<std::string> models;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('|'), text.size());
    if (end > 0) models.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return models;
}

std::string gpus_text(std::int64_t thousandths) {
  if (thousandths % gpu_parts == 0) return fmt::format("{}", thousandths / gpu_parts);
  std::string text = fmt::format("{}.{:03}", thousandths / gpu_parts, thousandths % gpu_parts);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

}  // namespace gpucap::workload

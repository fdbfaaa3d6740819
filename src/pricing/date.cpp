#include "gpucap/pricing/date.hpp"

#include <charconv>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

namespace gpucap::pricing {
namespace {

std::optional<int> whole(std::string_view digits) {
  int value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stopped, fault] = std::from_chars(digits.data(), end, value);
  if (fault != std::errc{} || stopped != end || value < 0) return std::nullopt;
  return value;
}

std::chrono::year_month_day calendar(const Date& date) {
  return {std::chrono::year{date.year}, std::chrono::month{static_cast<unsigned>(date.month)},
          std::chrono::day{static_cast<unsigned>(date.day.value_or(1))}};
}

}  // namespace

std::optional<Date> Date::parse(std::string_view iso) {
  const bool has_day = iso.size() == 10 && iso[7] == '-';
  if (!(has_day || iso.size() == 7) || iso[4] != '-') return std::nullopt;
  const auto year = whole(iso.substr(0, 4));
  const auto month = whole(iso.substr(5, 2));
  const auto day = has_day ? whole(iso.substr(8, 2)) : std::optional<int>{};
  if (!year || !month || (has_day && !day)) return std::nullopt;
  const Date date{*year, *month, day};
  return calendar(date).ok() ? std::optional<Date>(date) : std::nullopt;
}

std::string Date::text() const {
  const std::string year_month = fmt::format("{:04}-{:02}", year, month);
  return day ? fmt::format("{}-{:02}", year_month, *day) : year_month;
}

std::int64_t days_between(const Date& from, const Date& to) {
  const std::chrono::sys_days start{calendar(from)};
  const std::chrono::sys_days end{calendar(to)};
  return (end - start).count();
}

std::string utc_instant(const Date& day, Seconds since) {
  constexpr std::int64_t seconds_per_day = 86'400;
  const auto seconds = static_cast<std::int64_t>(std::ceil(since.in(unit::s)));
  const std::chrono::sys_days reached =
      std::chrono::sys_days{calendar(day)} + std::chrono::days{seconds / seconds_per_day};
  const std::chrono::year_month_day date{reached};
  const std::int64_t rest = seconds % seconds_per_day;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     rest / 3600, rest / 60 % 60, rest % 60);
}

}  // namespace gpucap::pricing

#include "gpucap/calibrate/power_log.hpp"

#include "gpucap/core/file.hpp"
#include "gpucap/units/parse.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <set>
#include <string_view>

#include "json_log.hpp"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpucap::calibrate {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

struct Cell {
  std::string_view text;
  std::size_t column = 1;  ///< in the line, from 1
};

std::vector<Cell> cells_of(std::string_view line) {
  std::vector<Cell> cells;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(',', at), line.size());
    const std::string_view text = trimmed(line.substr(at, end - at));
    const auto column = text.empty() ? at : static_cast<std::size_t>(text.data() - line.data());
    cells.push_back({text, column + 1});
    at = end + 1;
  }
  return cells;
}

std::optional<int> digits(std::string_view text) {
  int value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Days since 1970-01-01 of a date of the Gregorian calendar.
std::int64_t days_of(int year, int month, int day) {
  const int y = year - (month <= 2 ? 1 : 0);
  const int era = y / 400, of_era = y - era * 400;
  const int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int of_days = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
  return std::int64_t{era} * 146097 + of_days - 719468;
}

/// "2025/06/10 16:33:04.123".
std::optional<Seconds> instant_of(std::string_view text) {
  constexpr std::string_view form = "0000/00/00 00:00:00";
  if (text.size() < form.size()) return std::nullopt;
  std::array<int, 6> parts{};
  constexpr std::array<std::pair<std::size_t, std::size_t>, 6> places{
      {{0, 4}, {5, 2}, {8, 2}, {11, 2}, {14, 2}, {17, 2}}};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto number = digits(text.substr(places[i].first, places[i].second));
    if (!number) return std::nullopt;
    parts[i] = *number;
  }
  const auto fraction = parse_number(fmt::format("0{}", text.substr(form.size())));
  if (!fraction || parts[1] < 1 || parts[1] > 12) return std::nullopt;
  const auto days = static_cast<double>(days_of(parts[0], parts[1], parts[2]));
  return (((days * 24 + parts[3]) * 60 + parts[4]) * 60 + parts[5] + *fraction) * unit::s;
}

bool is_absent(std::string_view text) {
  return text.starts_with('[') || text == "N/A";
}

/// "231.50 W" or "231.50".
std::optional<Watts> power_of(std::string_view text) {
  if (text.ends_with('W')) text = trimmed(text.substr(0, text.size() - 1));
  const auto number = parse_number(text);
  return number ? std::optional(*number * unit::W) : std::nullopt;
}

struct Columns {
  std::optional<std::size_t> time, power, index, name;
  std::size_t count = 0;
};

/// By the names of a header: "power.draw [W]" or "power.draw.average [W]".
Columns named(const std::vector<Cell>& header) {
  Columns columns;
  columns.count = header.size();
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::string_view name = trimmed(header[i].text.substr(0, header[i].text.find('[')));
    if (name == "timestamp") columns.time = i;
    if (name.starts_with("power.draw") && !columns.power) columns.power = i;
    if (name == "index") columns.index = i;
    if (name == "name" || name == "gpu_name") columns.name = i;
  }
  return columns;
}

/// By what cells look like: the one with a date, the one in watts.
Columns guessed(const std::vector<Cell>& cells) {
  Columns columns;
  columns.count = cells.size();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string_view text = cells[i].text;
    if (instant_of(text)) columns.time = i;
    if (text.ends_with(" W") && power_of(text) && !columns.power) columns.power = i;
    if (text.starts_with("NVIDIA")) columns.name = i;
  }
  return columns;
}

class LogReader {
 public:
  LogReader(const std::filesystem::path& file, std::optional<std::int64_t> wanted)
      : wanted_(wanted) {
    log_.file = file.string();
  }

  void line(std::string_view text, std::size_t number) {
    if (trimmed(text).empty()) return;
    const auto cells = cells_of(text);
    if (!columns_) return first(cells, number);
    row(cells, number);
  }

  PowerLog end() {
    if (problems_.empty() && cards_.size() > 1 && !wanted_) {
      add(1, 1, "index",
          fmt::format("the log holds {} cards, {}; --gpu-index says which", cards_.size(),
                      fmt::join(cards_, ", ")),
          "ambiguous");
    }
    if (problems_.empty() && log_.samples.empty()) {
      add(1, 1, "power.draw",
          wanted_ && !cards_.empty() && !cards_.contains(std::to_string(*wanted_))
              ? fmt::format("the log holds no card {}", *wanted_)
              : fmt::format("no line has a figure, {} say that there is none", log_.without_figure),
          "empty-run");
    }
    if (!problems_.empty()) throw InputError(std::move(problems_));
    return std::move(log_);
  }

 private:
  void add(std::size_t line, std::size_t column, std::string what, std::string message,
           std::string code) {
    problems_.push_back({log_.file, fmt::format("{}:{}", line, column), std::move(what),
                         std::move(message), std::move(code)});
  }

  void first(const std::vector<Cell>& cells, std::size_t number) {
    const bool header = std::any_of(cells.begin(), cells.end(), [](const Cell& cell) {
      return cell.text.starts_with("power.draw") || cell.text == "timestamp";
    });
    columns_ = header ? named(cells) : guessed(cells);
    for (const auto& [column, name] :
         {std::pair{columns_->time, "timestamp"}, std::pair{columns_->power, "power.draw"}}) {
      if (column) continue;
      add(number, 1, name,
          header ? "column is missing; query it"
                 : "no cell looks like it; a log without header needs its units",
          "missing-column");
    }
    if (!problems_.empty()) throw InputError(std::move(problems_));
    if (!header) row(cells, number);
  }

  void row(const std::vector<Cell>& cells, std::size_t number) {
    if (cells.size() != columns_->count) {
      add(number, 1, "",
          fmt::format("{} cells, but the first line has {}: cut off?", cells.size(),
                      columns_->count),
          "field-count");
      return;
    }
    if (!is_wanted(cells)) return;
    const Cell& time = cells[*columns_->time];
    const auto at = instant_of(time.text);
    if (!at) {
      add(number, time.column, "timestamp",
          fmt::format("\"{}\" is no time such as 2025/06/10 16:33:04.123", time.text),
          "wrong-date");
      return;
    }
    if (last_ && *at < *last_) {
      add(number, time.column, "timestamp", "is earlier than the line before it", "time-runs-back");
    }
    if (!last_) begin(*at, time.text, cells);
    last_ = at;
    figure(cells[*columns_->power], *at - begin_, number);
  }

  bool is_wanted(const std::vector<Cell>& cells) {
    if (!columns_->index) return true;
    const std::string index(cells[*columns_->index].text);
    cards_.insert(index);
    return wanted_ ? index == std::to_string(*wanted_) : index == *cards_.begin();
  }

  void begin(Seconds at, std::string_view time, const std::vector<Cell>& cells) {
    begin_ = at;
    log_.date = std::string(time.substr(0, 10));
    std::replace(log_.date.begin(), log_.date.end(), '/', '-');
    if (columns_->name) log_.name = std::string(cells[*columns_->name].text);
  }

  void figure(const Cell& cell, Seconds since, std::size_t number) {
    if (is_absent(cell.text)) {
      ++log_.without_figure;
      return;
    }
    const auto power = power_of(cell.text);
    if (!power || *power < Watts{}) {
      add(number, cell.column, "power.draw", fmt::format("\"{}\" is no power", cell.text),
          "not-a-number");
      return;
    }
    log_.samples.push_back({number, since, *power});
  }

  std::optional<std::int64_t> wanted_;
  PowerLog log_;
  std::optional<Columns> columns_;
  std::set<std::string> cards_;
  std::optional<Seconds> last_;
  Seconds begin_;
  std::vector<Problem> problems_;
};

}  // namespace

PowerLog read_power_log(const std::filesystem::path& file, std::optional<std::int64_t> index) {
  const std::string text = read_file(file);
  refuse_foreign(file, text);
  LogReader reader(file, index);
  std::size_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    reader.line(rest.substr(0, end), ++number);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return reader.end();
}

}  // namespace gpucap::calibrate

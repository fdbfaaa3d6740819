#include "gpucap/report/table.hpp"

#include "gpucap/report/text.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpucap::report {
namespace {

using Positions = std::vector<std::size_t>;

std::vector<std::size_t> widths_of(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t width = display_width(table.columns[c].heading);
    for (const auto& row : table.rows) {
      width = std::max(width, display_width(printable(row[c])));
    }
    widths.push_back(width);
  }
  return widths;
}

std::size_t line_width(const Table& table, const Positions& kept,
                       const std::vector<std::size_t>& widths) {
  std::size_t sum = table.marked.empty() ? 0 : 2;
  for (const std::size_t c : kept) sum += widths[c] + 2;
  return kept.empty() ? sum : sum - 2;
}

/// The column to leave out next, or the end of `kept` when all others must stay.
Positions::iterator next_to_drop(const Table& table, Positions& kept) {
  auto chosen = kept.end();
  for (auto at = kept.begin(); at != kept.end(); ++at) {
    const int drop = table.columns[*at].drop;
    if (drop > 0 && (chosen == kept.end() || drop >= table.columns[*chosen].drop)) chosen = at;
  }
  return chosen;
}

Positions columns_that_fit(const Table& table, std::optional<std::size_t> width,
                           const std::vector<std::size_t>& widths) {
  Positions kept(table.columns.size());
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  while (width && line_width(table, kept, widths) > *width) {
    const auto victim = next_to_drop(table, kept);
    if (victim == kept.end()) break;
    kept.erase(victim);
  }
  return kept;
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::size_t own = display_width(text);
  const std::string blanks(width > own ? width - own : 0, ' ');
  return right ? blanks + text : text + blanks;
}

void add_line(std::string& out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

std::string foot_line(const Table& table, const Positions& kept) {
  std::vector<std::string> left_out;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (std::find(kept.begin(), kept.end(), c) == kept.end()) {
      left_out.push_back(table.columns[c].heading);
    }
  }
  if (left_out.empty()) return "";
  return fmt::format("Not shown for lack of width: {}.\n", fmt::join(left_out, ", "));
}

std::string markdown_row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

}  // namespace

std::string aligned(const Table& table, std::optional<std::size_t> width) {
  const auto widths = widths_of(table);
  const Positions kept = columns_that_fit(table, width, widths);
  const bool marks = !table.marked.empty();
  std::string out;
  const auto add_row = [&](const char* mark, auto&& text_of) {
    std::string line = marks ? mark : "";
    for (const std::size_t c : kept) {
      line += padded(text_of(c), widths[c], table.columns[c].right) + "  ";
    }
    add_line(out, std::move(line));
  };
  add_row("  ", [&](std::size_t c) { return table.columns[c].heading; });
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    add_row(marks && table.marked[r] ? "* " : "  ",
            [&](std::size_t c) { return printable(table.rows[r][c]); });
  }
  return out + foot_line(table, kept);
}

std::string markdown_text(const std::string& text) {
  constexpr std::string_view special = "\\`*[]<>|";
  std::string out;
  for (const char c : printable(text)) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string markdown(const Table& table) {
  const bool marks = !table.marked.empty();
  std::vector<std::string> heads, rules;
  if (marks) heads.emplace_back(" "), rules.emplace_back("---");
  for (const auto& column : table.columns) {
    heads.push_back(markdown_text(column.heading));
    rules.emplace_back(column.right ? "---:" : "---");
  }
  std::string out = markdown_row(heads) + markdown_row(rules);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    std::vector<std::string> cells;
    if (marks) cells.emplace_back(table.marked[r] ? "\\*" : " ");
    for (const auto& cell : table.rows[r]) cells.push_back(markdown_text(cell));
    out += markdown_row(cells);
  }
  return out;
}

}  // namespace gpucap::report

#include "gpucap/cli/program.hpp"
#include "gpucap/core/file.hpp"
#include "gpucap/report/text.hpp"
#include "gpucap/units/parse.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace gpucap::cli {
namespace {

constexpr std::size_t shown_at_most = 20;

struct Place {
  std::size_t line = 0, column = 0;  ///< from 1, the column in bytes
};

std::optional<Place> place_of(const Problem& problem) {
  const std::size_t colon = problem.position.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const auto line = parse_count(problem.position.substr(0, colon));
  const auto column = parse_count(problem.position.substr(colon + 1));
  if (!line || !column || *line < 1 || *column < 1) return std::nullopt;
  return Place{static_cast<std::size_t>(*line), static_cast<std::size_t>(*column)};
}

std::string_view line_of(std::string_view text, std::size_t number) {
  for (; number > 1; --number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find_first_of("\r\n"));
}

/// Bytes of the JSON value that begins here.
std::size_t token_length(std::string_view rest) {
  if (rest.empty()) return 0;
  if (rest.front() == '"') {
    const std::size_t end = rest.find('"', 1);
    return end == std::string_view::npos ? rest.size() : end + 1;
  }
  return std::min(rest.find_first_of(",]} \t"), rest.size());
}

std::string snippet(const Problem& problem) {
  const auto place = place_of(problem);
  if (!place) return "";
  std::string content;
  try {
    content = read_file(problem.file);
  } catch (const InputError&) {
    return "";  // not a file that can be read again, such as standard input
  }
  const std::string_view line = line_of(content, place->line);
  const std::size_t before = std::min(place->column - 1, line.size());
  const std::string_view token =
      line.substr(before, std::max<std::size_t>(1, token_length(line.substr(before))));
  const auto width = [](std::string_view text) {
    return report::display_width(report::printable(text));
  };
  return fmt::format("{:>5} | {}\n      | {}{}\n", place->line, report::printable(line),
                     std::string(width(line.substr(0, before)), ' '),
                     std::string(std::max<std::size_t>(1, width(token)), '^'));
}

}  // namespace

std::string error_text(const InputError& error, bool snippets) {
  const auto& problems = error.problems();
  std::string out;
  for (std::size_t i = 0; i < std::min(problems.size(), shown_at_most); ++i) {
    out += report::printable(problems[i].line()) + "\n";
    if (snippets) out += snippet(problems[i]);
  }
  if (problems.size() > shown_at_most) {
    out += fmt::format("... and {} more\n", problems.size() - shown_at_most);
  }
  return out + fmt::format("{} problem{}; nothing was run, nothing was written.", problems.size(),
                           problems.size() == 1 ? "" : "s");
}

}  // namespace gpucap::cli

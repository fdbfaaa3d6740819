#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::report {

/// A table for people: every cell is text already.
struct Table {
  struct Column {
    std::string heading;
    bool right = false;  ///< numbers stand at the right
    int drop = 0;        ///< when the terminal is narrow the highest goes first; 0 never goes
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  ///< as many cells as columns
  std::vector<bool> marked;                    ///< rows that get a `*`; empty: no mark column
};

/// Aligned by display width, two blanks between columns, no blanks at line ends. Columns that do
/// not fit `width` are left out, of equals the rightmost first, and a foot line names them;
/// without a width everything is kept.
std::string aligned(const Table& table, std::optional<std::size_t> width);

/// GitHub-flavoured Markdown that pastes into a pull request; nothing is left out.
std::string markdown(const Table& table);

/// Text for running Markdown or a cell of it, with its special characters escaped.
std::string markdown_text(const std::string& text);

}  // namespace gpucap::report

#pragma once

#include "gpucap/report/cell.hpp"
#include "gpucap/report/table.hpp"

#include <string>
#include <utility>
#include <vector>

namespace gpucap::report {

/// Rows of named cells: what `gpus list` prints and what summary.csv holds.
struct Listing {
  struct Field {
    std::string name;     ///< snake_case with the unit, for scripts: "memory_total_gib"
    std::string heading;  ///< for people: "MEMORY GiB"
    Shown shown = Shown::text;
    int drop = 0;  ///< see Table::Column
  };
  std::vector<Field> fields;
  std::vector<std::vector<Cell>> rows;  ///< as many cells as fields
};

Table to_table(const Listing& listing);

/// RFC 4180, UTF-8, CRLF, one header row, '.' as decimal sign in every locale, shortest text that
/// reads back as the same number, an absent cell is empty. Text that a spreadsheet would take for
/// a formula (begins with = + - @, tab, CR or LF) gets a leading apostrophe; numbers never do.
std::string to_csv(const Listing& listing);

/// One field of such a file, quoted where it must be.
std::string csv_field(const Cell& cell);

/// An array of objects, one per row; an absent cell is null.
std::string to_json(const Listing& listing);

/// One object keyed by the first field of each row, whose values are objects of the other fields.
std::string to_keyed_json(const Listing& listing);

/// One object of such arrays, keyed by name.
std::string to_json(const std::vector<std::pair<std::string, const Listing*>>& listings);

}  // namespace gpucap::report

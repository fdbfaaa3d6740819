#include "gpucap/report/listing.hpp"

namespace gpucap::report {

Table to_table(const Listing& listing) {
  Table table;
  for (const auto& field : listing.fields) {
    table.columns.push_back({field.heading, is_numeric(field.shown), field.drop});
  }
  for (const auto& row : listing.rows) {
    auto& cells = table.rows.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.push_back(shown(row[i], listing.fields[i].shown));
    }
  }
  return table;
}

}  // namespace gpucap::report

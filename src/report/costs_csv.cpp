#include "gpucap/report/costs_csv.hpp"

#include "gpucap/report/listing.hpp"

#include <algorithm>

namespace gpucap::report {
namespace {

std::size_t position_of(Listing& listing, const std::string& name) {
  auto& fields = listing.fields;
  const auto at = std::find_if(fields.begin(), fields.end(),
                               [&](const auto& field) { return field.name == name; });
  const auto position = static_cast<std::size_t>(at - fields.begin());
  if (at == fields.end()) fields.push_back({name, name});
  return position;
}

}  // namespace

std::string costs_csv(std::span<const CostLine> lines) {
  Listing listing;
  for (const CostLine& line : lines) {
    auto& row = listing.rows.emplace_back();
    for (const auto& [name, value] : line) {
      const std::size_t position = position_of(listing, name);
      row.resize(std::max(row.size(), position + 1));
      row[position] = value;
    }
  }
  for (auto& row : listing.rows) row.resize(listing.fields.size());
  return to_csv(listing);
}

}  // namespace gpucap::report

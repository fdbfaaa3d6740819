#include "gpucap/cli/format.hpp"

namespace gpucap::cli {
namespace {

std::string rendered(const report::Listing& listing, Format format, const Console& console) {
  switch (format) {
    case Format::csv:
      return report::to_csv(listing);
    case Format::markdown:
      return report::markdown(report::to_table(listing));
    case Format::json:
      return report::to_json(listing);
    case Format::table:
      break;
  }
  return report::aligned(report::to_table(listing), console.width());
}

}  // namespace

Option format_option() {
  return {"format", "FORM", "table (default), json, csv or markdown"};
}

Format format_of(Arguments& arguments) {
  return arguments
      .choice<Format>("format", {{"table", Format::table},
                                 {"json", Format::json},
                                 {"csv", Format::csv},
                                 {"markdown", Format::markdown}})
      .value_or(Format::table);
}

void print_rows(const report::Listing& listing, Format format, Console& console) {
  console.print(rendered(listing, format, console));
}

void print_cells(const report::Listing& listing, Format format, Console& console) {
  const bool keyed = format == Format::json;
  console.print(keyed ? report::to_keyed_json(listing) : rendered(listing, format, console));
}

}  // namespace gpucap::cli

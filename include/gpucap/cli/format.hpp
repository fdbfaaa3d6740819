#pragma once

#include "gpucap/cli/arguments.hpp"
#include "gpucap/cli/console.hpp"
#include "gpucap/report/listing.hpp"

namespace gpucap::cli {

/// The forms in which every result can be printed.
enum class Format { table, json, csv, markdown };

/// The option --format, for the option table of a command.
Option format_option();
/// What it says; a wrong word is a problem of the arguments.
Format format_of(Arguments& arguments);

/// Prints rows that stand for things, such as `gpus list`.
void print_rows(const report::Listing& listing, Format format, Console& console);
/// Prints the cells of one thing, such as `gpus show`: JSON is an object keyed by the first field.
void print_cells(const report::Listing& listing, Format format, Console& console);

}  // namespace gpucap::cli

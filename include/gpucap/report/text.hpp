#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gpucap::report {

/// The text with every byte that is not UTF-8 replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

/// Fit for a terminal or one table cell: valid UTF-8, line breaks and tabs as spaces, other control
/// characters as U+FFFD, so that a name can neither break a table nor send escape codes.
std::string printable(std::string_view text);

/// Columns that printable text takes on a terminal: combining marks 0, East Asian wide and emoji 2.
std::size_t display_width(std::string_view text);

}  // namespace gpucap::report

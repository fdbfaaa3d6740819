#pragma once

#include "gpucap/core/error.hpp"

#include <string>
#include <vector>

namespace gpucap::cli {

/// Runs the command that the words name; catches everything, prints errors, gives the exit status.
int run_program(const std::vector<std::string>& words);

/// One line per problem and a closing line that nothing was done; with `snippets` the source line
/// of a problem that has a position, and a caret under its place. More than 20 are counted only.
std::string error_text(const InputError& error, bool snippets);

}  // namespace gpucap::cli

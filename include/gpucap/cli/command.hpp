#pragma once

#include "gpucap/cli/arguments.hpp"
#include "gpucap/cli/console.hpp"

#include <string>
#include <vector>

namespace gpucap::cli {

/// Exit status of the program.
enum class Exit : int {
  done = 0,
  bad_input = 1,
  nothing_feasible = 2,
  internal_error = 3,
  point_failed = 4  ///< with --strict
};

/// One command: what help says of it, what it accepts and what it does. --help, --version and
/// --quiet belong to every command and are not listed.
struct Command {
  std::string name;     ///< one or two words: "run", "gpus list"
  std::string summary;  ///< one line, no full stop
  std::vector<std::string> examples;
  std::vector<Operand> operands;
  std::vector<Option> options;
  Exit (*run)(Arguments&, Console&) = nullptr;
};

/// Every command of the program, in the order of `gpucap help`.
const std::vector<Command>& commands();

/// "gpucap" and its version.
std::string version_line();

/// Help of the whole program: examples first, then the commands.
std::string program_help();
/// Help of one command, or of all commands that begin with the word ("gpus").
std::string command_help(const Command& command);
std::string group_help(const std::string& word);

}  // namespace gpucap::cli

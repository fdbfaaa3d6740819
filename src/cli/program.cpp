#include "gpucap/cli/program.hpp"

#include "gpucap/cli/command.hpp"
#include "gpucap/core/nearest_name.hpp"
#include "gpucap/report/text.hpp"

#include <algorithm>
#include <csignal>
#include <exception>
#include <optional>

#include <fmt/format.h>

namespace gpucap::cli {
namespace {

using Words = std::vector<std::string>;

bool asks_help(const std::string& word) {
  return word == "--help" || word == "-h";
}

bool is_group(const std::string& word) {
  return std::any_of(commands().begin(), commands().end(),
                     [&](const Command& command) { return command.name.starts_with(word + " "); });
}

const Command* find_command(const std::string& name) {
  const auto& all = commands();
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const Command& command) { return command.name == name; });
  return at == all.end() ? nullptr : &*at;
}

/// What stands at the place of the unknown word: first words, or second words of a group.
Words known_words(const std::string& group) {
  Words known;
  for (const Command& command : commands()) {
    const std::string prefix = group.empty() ? "" : group + " ";
    if (!command.name.starts_with(prefix)) continue;
    const std::string rest = command.name.substr(prefix.size());
    const std::string word = rest.substr(0, rest.find(' '));
    if (std::find(known.begin(), known.end(), word) == known.end()) known.push_back(word);
  }
  return known;
}

[[noreturn]] void fail(std::string message, std::string code) {
  throw InputError(Problem{"", "", "", std::move(message), std::move(code)});
}

/// The command at the front of the words, which are shortened by its name.
const Command& take_command(Words& words) {
  const std::string first = words.front();
  if (const Command* command = find_command(first)) {
    words.erase(words.begin());
    return *command;
  }
  if (first.starts_with("-")) {
    fail(fmt::format("\"{}\" stands before any command; write gpucap COMMAND {}", first, first),
         "missing-command");
  }
  if (!is_group(first)) {
    fail(unknown_name("command", first, known_words("")), "unknown-command");
  }
  const Words second = known_words(first);
  if (words.size() < 2 || words[1].starts_with("-")) {
    fail(fmt::format("\"{}\" needs one word more, such as \"{} {}\"", first, first, second.front()),
         "missing-command");
  }
  const Command* command = find_command(first + " " + words[1]);
  if (command == nullptr) {
    fail(unknown_name("command", words[1], second), "unknown-command");
  }
  words.erase(words.begin(), words.begin() + 2);
  return *command;
}

/// Help that the words ask for: none, of everything, of a group, of a command.
std::optional<std::string> help_for(Words words) {
  if (words.empty() || (words.size() == 1 && asks_help(words[0]))) return program_help();
  const bool help_word = words[0] == "help";
  if (help_word) words.erase(words.begin());
  if (help_word && words.empty()) return program_help();
  const bool option = std::any_of(words.begin(), words.end(), asks_help);
  if (!help_word && !option) return std::nullopt;
  const bool one_word = words.size() == 1 || asks_help(words[1]);
  if (one_word && is_group(words[0]) && find_command(words[0]) == nullptr) {
    return group_help(words[0]);
  }
  return command_help(take_command(words));
}

Arguments parse_arguments(const Command& command, const Words& words) {
  std::vector<Option> options = command.options;
  options.push_back({"quiet", "", "no progress and no notes"});
  return Arguments::parse(options, command.operands, words);
}

/// Words end up in messages and results, which are UTF-8 throughout.
void check_utf8(const Words& words) {
  for (const std::string& word : words) {
    if (report::valid_utf8(word) != word) {
      fail(fmt::format("\"{}\" is not UTF-8", word), "not-utf8");
    }
  }
}

Exit dispatch(Words words, Console& console) {
  check_utf8(words);
  if (const auto help = help_for(words)) {
    console.print(*help);
    return Exit::done;
  }
  if (std::find(words.begin(), words.end(), "--version") != words.end()) {
    if (words[0] != "--version") take_command(words);
    console.print(version_line());
    return Exit::done;
  }
  const Command& command = take_command(words);
  Arguments arguments = parse_arguments(command, words);
  if (arguments.has("quiet")) console.be_quiet();
  return command.run(arguments, console);
}

}  // namespace

int run_program(const Words& words) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away is a write that fails
  Console console;
  try {
    return static_cast<int>(dispatch(words, console));
  } catch (const BrokenPipe&) {
    return static_cast<int>(Exit::done);
  } catch (const InputError& error) {
    console.complain(error_text(error, console.stderr_is_terminal()));
    return static_cast<int>(Exit::bad_input);
  } catch (const std::exception& error) {
    console.complain(fmt::format("internal error: {}", error.what()));
    return static_cast<int>(Exit::internal_error);
  }
}

}  // namespace gpucap::cli

#include "gpucap/cli/command.hpp"
#include "gpucap/core/version.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace gpucap::cli {
namespace {

constexpr std::size_t examples_of_program = 6;

std::string examples_text(const std::vector<std::string>& examples) {
  std::string out = "Examples\n";
  for (const auto& example : examples) out += "  " + example + "\n";
  return out;
}

std::string commands_text(const std::vector<const Command*>& chosen) {
  std::size_t width = 0;
  for (const Command* command : chosen) width = std::max(width, command->name.size());
  std::string out = "Commands\n";
  for (const Command* command : chosen) {
    out += fmt::format("  {:<{}}  {}\n", command->name, width, command->summary);
  }
  return out;
}

std::string usage(const Command& command) {
  std::string line = "gpucap " + command.name;
  for (const auto& operand : command.operands) {
    line += " " + operand.name + (operand.repeated ? "..." : "");
  }
  return line + (command.options.empty() ? "" : " [options]");
}

std::string options_text(const std::vector<Option>& options) {
  std::size_t width = 0;
  const auto left = [](const Option& option) {
    return "--" + option.name + (option.value.empty() ? "" : " " + option.value);
  };
  for (const Option& option : options) width = std::max(width, left(option).size());
  std::string out;
  for (const Option& option : options) {
    out += fmt::format("  {:<{}}  {}{}\n", left(option), width, option.help,
                       option.repeated ? "; may be repeated" : "");
  }
  return out.empty() ? out : "Options\n" + out;
}

}  // namespace

std::string version_line() {
  return "gpucap " + version() + "\n";
}

std::string program_help() {
  std::vector<std::string> examples;
  std::vector<const Command*> all;
  for (const Command& command : commands()) {
    all.push_back(&command);
    const bool room = examples.size() < examples_of_program;
    if (room && !command.examples.empty()) examples.push_back(command.examples.front());
  }
  return "gpucap: which rented GPU node should this workload take?\n\n" + examples_text(examples) +
         "\n" + commands_text(all) + "\nMore: gpucap help COMMAND, gpucap --version\n";
}

std::string command_help(const Command& command) {
  const std::string options = options_text(command.options);
  return fmt::format("gpucap {}: {}\n\n{}\nUsage: {}\n\n{}{}Also --quiet, --help, --version\n",
                     command.name, command.summary, examples_text(command.examples), usage(command),
                     options, options.empty() ? "" : "\n");
}

std::string group_help(const std::string& word) {
  std::vector<std::string> examples;
  std::vector<const Command*> chosen;
  for (const Command& command : commands()) {
    if (!command.name.starts_with(word + " ")) continue;
    chosen.push_back(&command);
    if (!command.examples.empty()) examples.push_back(command.examples.front());
  }
  return examples_text(examples) + "\n" + commands_text(chosen);
}

}  // namespace gpucap::cli

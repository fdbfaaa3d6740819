#include "gpucap/cli/arguments.hpp"

#include "gpucap/core/nearest_name.hpp"

#include <algorithm>

#include <boost/program_options.hpp>
#include <fmt/format.h>

namespace gpucap::cli {
namespace {

namespace po = boost::program_options;

Problem fault(std::string where, std::string message, std::string code) {
  return {"", "", std::move(where), std::move(message), std::move(code)};
}

po::options_description described(const std::vector<Option>& options) {
  po::options_description description;
  for (const Option& option : options) {
    if (option.value.empty()) {
      description.add_options()(option.name.c_str(), option.help.c_str());
    } else {
      description.add_options()(option.name.c_str(), po::value<std::string>(), option.help.c_str());
    }
  }
  return description;
}

std::vector<po::option> split(const std::vector<Option>& options,
                              const std::vector<std::string>& words) {
  using Style = po::command_line_style::style_t;
  const auto description = described(options);
  const int style = Style::default_style & ~Style::allow_guessing;
  try {
    return po::command_line_parser(words)
        .options(description)
        .style(style)
        .allow_unregistered()
        .run()
        .options;
  } catch (const po::error_with_option_name& error) {
    const std::string name = error.get_option_name();
    const auto known = std::find_if(options.begin(), options.end(), [&](const Option& option) {
      return "--" + option.name == name;
    });
    const bool is_switch = known != options.end() && known->value.empty();
    const std::string message =
        is_switch ? "takes no value"
                  : fmt::format("needs a value{}",
                                known == options.end() ? "" : ": " + name + " " + known->value);
    throw InputError(fault(name, message, is_switch ? "surplus-value" : "missing-value"));
  }
}

std::string unknown_option(const po::option& option, const std::vector<Option>& options,
                           std::string& written) {
  written = option.original_tokens.empty() ? option.string_key : option.original_tokens.front();
  written = written.substr(0, written.find('='));
  std::vector<std::string> known;
  for (const Option& o : options) known.push_back("--" + o.name);
  return unknown_name("option", written, known);
}

void check_operands(const std::vector<Operand>& expected, const std::vector<std::string>& given,
                    std::vector<Problem>& problems) {
  for (std::size_t i = given.size(); i < expected.size(); ++i) {
    problems.push_back(fault(expected[i].name, "is missing", "missing-operand"));
  }
  if (!expected.empty() && expected.back().repeated) return;
  for (std::size_t i = expected.size(); i < given.size(); ++i) {
    problems.push_back(fault(given[i], "is one word too many", "surplus-operand"));
  }
}

bool may_repeat(const std::vector<Option>& options, const std::string& name) {
  return std::any_of(options.begin(), options.end(),
                     [&](const Option& option) { return option.name == name && option.repeated; });
}

}  // namespace

Arguments Arguments::parse(const std::vector<Option>& options, const std::vector<Operand>& operands,
                           const std::vector<std::string>& words) {
  Arguments arguments;
  bool unknown = false;
  for (const po::option& option : split(options, words)) {
    if (option.unregistered) {
      std::string written;
      const std::string message = unknown_option(option, options, written);
      arguments.problems_.push_back(fault("", message, "unknown-option"));
      unknown = true;
    } else if (option.position_key >= 0) {
      arguments.operands_.insert(arguments.operands_.end(), option.value.begin(),
                                 option.value.end());
    } else {
      auto& values = arguments.values_[option.string_key];
      if (!values.empty() && !may_repeat(options, option.string_key)) {
        arguments.problem(option.string_key, "stands twice", "doubled-option");
      }
      values.push_back(option.value.empty() ? "" : option.value.front());
    }
  }
  // A word after an unknown option may have been meant as its value, so it is no fault of its own.
  if (!unknown) check_operands(operands, arguments.operands_, arguments.problems_);
  arguments.throw_if_problems();
  return arguments;
}

bool Arguments::has(std::string_view option) const {
  return values_.find(option) != values_.end();
}

std::optional<std::string> Arguments::text(std::string_view option) const {
  const auto found = values_.find(option);
  if (found == values_.end()) return std::nullopt;
  return found->second.front();
}

std::vector<std::string> Arguments::texts(std::string_view option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

std::optional<std::int64_t> Arguments::count(std::string_view option, std::int64_t least) {
  const auto number = value<std::int64_t>(option, parse_count);
  if (!number || *number >= least) return number;
  problem(option, fmt::format("must be at least {}, not {}", least, *number), "out-of-range");
  return std::nullopt;
}

void Arguments::problem(std::string_view option, std::string message, std::string code) {
  problems_.push_back(fault("--" + std::string(option), std::move(message), std::move(code)));
}

void Arguments::unknown_word(std::string_view option, const std::string& word,
                             const std::vector<std::string>& known) {
  problem(option, unknown_name("word", word, known), "unknown-name");
}

void Arguments::throw_if_problems() const {
  if (!problems_.empty()) throw InputError(problems_);
}

}  // namespace gpucap::cli

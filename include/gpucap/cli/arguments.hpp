#pragma once

#include "gpucap/core/error.hpp"
#include "gpucap/units/parse.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpucap::cli {

/// One option of a command, e.g. {"tensor-parallel", "N", "cards that share one replica"}.
struct Option {
  std::string name;   ///< without the dashes
  std::string value;  ///< what the value is called in help; empty: a switch without value
  std::string help;
  bool repeated = false;
};

/// A word without dashes, e.g. {"SCENARIO.json"}.
struct Operand {
  std::string name;
  bool repeated = false;  ///< this and all further words; the last operand only
};

/// What the user wrote after the command. Getters give nothing when the option is absent or its
/// value is wrong; a wrong value adds a problem, and `throw_if_problems` reports them all.
class Arguments {
 public:
  /// Strict: unknown and doubled options, missing values, missing and surplus operands are all
  /// collected into one InputError.
  static Arguments parse(const std::vector<Option>& options, const std::vector<Operand>& operands,
                         const std::vector<std::string>& words);

  [[nodiscard]] bool has(std::string_view option) const;
  [[nodiscard]] std::optional<std::string> text(std::string_view option) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view option) const;
  [[nodiscard]] const std::vector<std::string>& operands() const { return operands_; }

  /// A value read by one of units/parse.hpp: `value<Bytes>("kv-cache-memory", parse_bytes)`.
  template <class T>
  std::optional<T> value(std::string_view option, Parsed<T> (*read)(std::string_view)) {
    const auto written = text(option);
    if (!written) return std::nullopt;
    const auto parsed = read(*written);
    if (parsed) return *parsed;
    problem(option, parsed.failure().message, parsed.failure().code);
    return std::nullopt;
  }

  /// A whole number of at least `least`.
  std::optional<std::int64_t> count(std::string_view option, std::int64_t least = 1);

  /// One of a closed set of words; another word is a problem that names the nearest.
  template <class T>
  std::optional<T> choice(std::string_view option,
                          const std::vector<std::pair<std::string, T>>& words) {
    const auto written = text(option);
    if (!written) return std::nullopt;
    std::vector<std::string> known;
    for (const auto& [word, value] : words) {
      if (word == *written) return value;
      known.push_back(word);
    }
    unknown_word(option, *written, known);
    return std::nullopt;
  }

  void problem(std::string_view option, std::string message, std::string code);
  void throw_if_problems() const;

 private:
  void unknown_word(std::string_view option, const std::string& word,
                    const std::vector<std::string>& known);

  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::vector<std::string> operands_;
  std::vector<Problem> problems_;
};

}  // namespace gpucap::cli

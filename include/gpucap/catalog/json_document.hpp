#pragma once

#include "gpucap/core/error.hpp"
#include "gpucap/units/parse.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace gpucap::catalog {

/// A JSON file in memory that knows where each value stands. Problems are collected in it, so a
/// reader goes on after the first and the user sees all of them, in file order.
class JsonDocument {
 public:
  /// `file` is the name shown to the user. Syntax errors and duplicate keys throw InputError.
  JsonDocument(std::string file, std::string text);
  static JsonDocument read(const std::string& path);
  ~JsonDocument();
  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;

  [[nodiscard]] const nlohmann::json& root() const { return *root_; }
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  /// "line:column" of the value at a JSON pointer, or of its nearest existing parent.
  [[nodiscard]] std::string position(std::string_view pointer) const;

  /// Puts another file below this one: what this one does not say comes from `base` (objects merge
  /// by key, a null here removes the key there, lists are replaced whole: RFC 7396).
  void merge_over(JsonDocument base);
  /// Replaces or adds the value at `pointer`; `origin` is named in problems of it, e.g. "--set".
  /// A pointer whose parent does not exist is a problem that lists the keys at that level.
  void set(const std::string& pointer, const nlohmann::json& value, const std::string& origin);

  /// The file that states the value at a pointer (this one or one merged below it), or the origin
  /// of a set value.
  [[nodiscard]] const std::string& file_of(std::string_view pointer) const;

  void add_problem(std::string pointer, std::string message, std::string code);
  [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }
  /// Throws InputError with all problems in file order, if there are any.
  void throw_if_problems() const;

 private:
  std::string file_;
  std::string text_;
  struct Place;
  [[nodiscard]] Place place_of(std::string_view pointer) const;
  [[nodiscard]] std::optional<Place> written_at(std::string_view pointer) const;

  std::unique_ptr<nlohmann::json> root_;
  std::vector<JsonDocument> bases_;  ///< merged below, for the positions of what they brought in
  std::vector<std::pair<std::string, std::string>> set_;  ///< pointer and origin, in order
  std::vector<Problem> problems_;
};

/// Strict view of one JSON object: each key must be asked for, `finish` reports those that were
/// not. Getters return nothing when the key is absent or wrong; a wrong value adds a problem.
/// `notes` (texts for people) and, at the root, `$schema` are legal everywhere.
class ObjectReader {
 public:
  /// Reads the object at `pointer`; a value that is no object adds a problem and reads as empty.
  ObjectReader(JsonDocument& document, std::string pointer = "");

  [[nodiscard]] bool has(std::string_view key) const;
  std::optional<std::string> text(std::string_view key);
  std::optional<double> number(std::string_view key);
  std::optional<std::int64_t> count(std::string_view key);  ///< whole number
  std::optional<bool> flag(std::string_view key);
  std::vector<std::string> texts(std::string_view key);
  std::vector<double> numbers(std::string_view key);
  std::optional<ObjectReader> object(std::string_view key);
  std::vector<ObjectReader> objects(std::string_view key);  ///< an array of objects
  std::vector<std::string> keys() const;                    ///< of a map-like object

  /// A text with a unit, read by one of units/parse.hpp.
  template <class T>
  std::optional<T> quantity(std::string_view key, Parsed<T> (*parse)(std::string_view)) {
    const auto written = spelled(key);
    if (!written) return std::nullopt;
    const auto value = parse(*written);
    if (value) return *value;
    problem(key, value.failure().message, value.failure().code);
    return std::nullopt;
  }

  /// One of a closed set of words; another word adds a problem with the nearest known one.
  template <class T>
  std::optional<T> choice(std::string_view key, std::string_view kind,
                          const std::vector<std::pair<std::string, T>>& words) {
    const auto written = text(key);
    if (!written) return std::nullopt;
    for (const auto& [word, value] : words) {
      if (word == *written) return value;
    }
    std::vector<std::string> known;
    for (const auto& [word, value] : words) known.push_back(word);
    unknown_word(key, kind, *written, known);
    return std::nullopt;
  }

  /// The value itself, or a problem "is missing" and a default-constructed value.
  template <class T>
  T required(std::string_view key, std::optional<T> value) {
    if (value) return std::move(*value);
    if (!has(key)) missing(key);
    return T{};
  }

  void problem(std::string_view key, std::string message, std::string code);
  /// Reports every key that was not asked for, with the nearest one that could have been.
  void finish();
  [[nodiscard]] std::string pointer_to(std::string_view key) const;
  [[nodiscard]] const std::string& pointer() const { return pointer_; }
  [[nodiscard]] JsonDocument& document() { return *document_; }
  [[nodiscard]] bool asked(std::string_view key) const {
    return std::find(asked_.begin(), asked_.end(), key) != asked_.end();
  }
  /// The raw value, marked as asked for; null pointer when absent.
  const nlohmann::json* raw(std::string_view key);

 private:
  ObjectReader(JsonDocument& document, std::string pointer, const nlohmann::json& value);
  /// A text, or a number as it is spelled, so that its reader can say that it lacks a unit.
  std::optional<std::string> spelled(std::string_view key);
  void missing(std::string_view key);
  void unknown_word(std::string_view key, std::string_view kind, const std::string& word,
                    const std::vector<std::string>& known);
  const nlohmann::json* typed(std::string_view key, bool (*is)(const nlohmann::json&),
                              const char* expected);

  JsonDocument* document_;
  std::string pointer_;
  const nlohmann::json* object_;
  std::vector<std::string> asked_;  ///< few: a search is faster than a tree
};

}  // namespace gpucap::catalog

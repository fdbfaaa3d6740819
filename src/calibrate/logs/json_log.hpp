#pragma once

#include "gpucap/calibrate/served_run.hpp"
#include "gpucap/catalog/json_document.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace gpucap::calibrate {

/// Opens a log in JSON. Throws InputError where it is something else: empty, a web page, cut off,
/// or with NaN and Infinity in it, which some programs write and JSON does not know; each of those
/// is a problem of its own.
catalog::JsonDocument open_json_log(const std::filesystem::path& file, std::string text);

/// Throws InputError for a file that is empty or a web page.
void refuse_foreign(const std::filesystem::path& file, std::string_view text);

/// One object of somebody else's log: keys that are not asked for are legal, an absent or null key
/// gives nothing, a wrong value adds a problem.
class LogObject {
 public:
  LogObject(catalog::JsonDocument& document, std::string pointer);

  [[nodiscard]] bool has(const std::string& key) const;
  std::optional<double> number(const std::string& key);          ///< not negative
  std::optional<std::int64_t> count(const std::string& key);     ///< not negative, whole
  [[nodiscard]] std::string text(const std::string& key) const;  ///< empty where there is none
  std::vector<std::int64_t> counts(const std::string& key);
  std::vector<double> numbers(const std::string& key);

  /// The value, or the problem that it is missing and `tool` writes it.
  double needed(const std::string& key, std::string_view tool);
  std::int64_t needed_count(const std::string& key, std::string_view tool);

  void problem(const std::string& key, std::string message, std::string code);
  [[nodiscard]] LogPlace place(const std::string& key) const;
  [[nodiscard]] const nlohmann::json* raw(const std::string& key) const;

 private:
  void missing(const std::string& key, std::string_view tool);

  catalog::JsonDocument* document_;
  std::string pointer_;
  const nlohmann::json* object_;
};

}  // namespace gpucap::calibrate

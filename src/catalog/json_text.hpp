#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace gpucap::catalog {

/// JSON without a byte order mark. Throws InputError, with the position in `text`, for what is no
/// JSON, for numbers beyond a double, for keys that stand twice and for absurd nesting.
nlohmann::json parse_strictly(const std::string& file, const std::string& text);

/// Puts a value at a JSON pointer whose parent exists; the answer says why that is not possible,
/// with the keys that are there, and is empty when it was done.
std::string put_at(nlohmann::json& root, const std::string& pointer, const nlohmann::json& value);

/// A value in a few words for a message: `the text "7"`, `1.5`, `a list`.
std::string described(const nlohmann::json& value);

}  // namespace gpucap::catalog

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gpucap {

/// Levenshtein distance with adjacent swaps counted as one, ignoring ASCII case.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The only known name within edit distance 2, or the only one that contains `name` whole.
std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> known);

/// `unknown GPU "rtx-4900"; did you mean "rtx-4090"?`, or up to five close names, or how many
/// exist.
std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string> known);

}  // namespace gpucap

#include "gpucap/core/nearest_name.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpucap {
namespace {

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return lower(c); });
  return out;
}

std::vector<std::string> closest_first(std::string_view name, std::span<const std::string> known) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& candidate : known) {
    ranked.emplace_back(edit_distance(name, candidate), candidate);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (auto& [distance, candidate] : ranked) names.push_back(std::move(candidate));
  return names;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> known) {
  std::vector<std::string> close;
  std::vector<std::string> containing;
  std::size_t best = 3;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best) close.clear();
    best = std::min(best, distance);
    if (distance == best && distance < 3) close.push_back(candidate);
    const bool holds = name.size() >= 3 && lower(candidate).find(lower(name)) != std::string::npos;
    if (holds) containing.push_back(candidate);
  }
  if (close.size() == 1 && best < name.size()) return close.front();
  if (close.empty() && containing.size() == 1) return containing.front();
  return std::nullopt;
}

std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string> known) {
  const std::string fact = fmt::format("unknown {} \"{}\"", kind, name);
  if (const auto near = nearest_name(name, known)) {
    return fmt::format("{}; did you mean \"{}\"?", fact, *near);
  }
  if (known.empty()) return fact;
  std::vector<std::string> names = closest_first(name, known);
  const bool all = names.size() <= 5;
  names.resize(std::min<std::size_t>(names.size(), 5));
  return fmt::format("{}; {}: {}", fact, all ? "known" : "closest", fmt::join(names, ", "));
}

}  // namespace gpucap

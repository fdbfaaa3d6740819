#include "gpucap/calibrate/log_card.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

namespace gpucap::calibrate {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter)) {
      words.back() += static_cast<char>(std::tolower(letter));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

/// "4090" of "NVIDIA GeForce RTX 4090", "a100" of "NVIDIA A100-SXM4-80GB".
std::string number_of(const std::vector<std::string>& words) {
  const auto found = std::find_if(words.begin(), words.end(), [](const std::string& word) {
    return std::any_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); });
  });
  return found == words.end() ? "" : *found;
}

/// Words that make another card of the same number.
std::set<std::string> kinds_of(const std::vector<std::string>& words) {
  static const std::set<std::string> kinds{"ti", "super", "ada", "laptop", "mobile", "d", "pro"};
  std::set<std::string> found;
  for (const std::string& word : words) {
    if (kinds.contains(word)) found.insert(word);
  }
  return found;
}

}  // namespace

bool is_named(const hardware::Gpu& gpu, const std::string& name) {
  const auto there = words_of(name), here = words_of(gpu.name);
  if (number_of(there) != number_of(here) || kinds_of(there) != kinds_of(here)) return false;
  const auto says = [&](std::string_view form) {
    return std::any_of(there.begin(), there.end(),
                       [&](const std::string& word) { return word.starts_with(form); });
  };
  return !(says("pcie") && gpu.form_factor == "sxm") && !(says("sxm") && gpu.form_factor == "pcie");
}

}  // namespace gpucap::calibrate

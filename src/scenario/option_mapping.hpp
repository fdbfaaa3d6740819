#pragma once

#include "gpucap/scenario/options.hpp"
#include "gpucap/scenario/settings.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpucap::scenario {

/// Option of the command line and the place in a scenario that it stands for.
struct OptionPlace {
  const char* option;
  const char* pointer;
  bool is_text;
};

/// A setting for each of the options that is written.
std::vector<Setting> settings_at(std::span<const OptionPlace> places, const Options& options);

/// "--gpu" for the place of that option.
std::optional<std::string> option_at(std::span<const OptionPlace> places,
                                     const std::string& pointer);

/// Cards that a layout of these factors needs; the reader refuses a product beyond its limit.
std::string product_of(const Options& options, std::span<const char* const> factors);

/// --price-per-hour as the price of the candidate.
std::optional<Setting> price_setting(const Options& options);

}  // namespace gpucap::scenario

#pragma once

#include "gpucap/scenario/settings.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpucap::scenario {

/// Options of `gpucap estimate serving` by name, without dashes, in the order in which they were
/// written: {"gpu", "rtx-4090"}. A switch has an empty value.
using Options = std::vector<std::pair<std::string, std::string>>;

/// The value of an option; nothing when it is not among them.
std::optional<std::string> value_of(const Options& options, const std::string& name);

/// What the options say, as places in a scenario document. Options that say nothing about a
/// scenario (--format, --slo) are left out.
std::vector<Setting> settings_of(const Options& options);

/// The option that stands for a place in the document, such as "--gpu"; nothing when none does.
std::optional<std::string> option_at(const std::string& pointer);

/// The line that a user types: "gpucap estimate serving --model llama-3-8b ...".
std::string command_line(const Options& options);

}  // namespace gpucap::scenario

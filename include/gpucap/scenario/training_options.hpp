#pragma once

#include "gpucap/scenario/options.hpp"
#include "gpucap/scenario/settings.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gpucap::scenario {

/// What the options of `estimate training` and `memory training` say, as places in a scenario
/// document.
std::vector<Setting> training_settings_of(const Options& options);

/// The option that stands for a place in such a document, such as "--zero"; nothing when none does.
std::optional<std::string> training_option_at(const std::string& pointer);

}  // namespace gpucap::scenario

#pragma once

#include "gpucap/core/error.hpp"

#include <functional>
#include <optional>
#include <string>

namespace gpucap::cli {

/// The option that stands for a place in a scenario document; nothing when none does.
using OptionAt = std::function<std::optional<std::string>(const std::string& pointer)>;

/// Problems of a document made from options, with pointers turned back into option names.
InputError in_words_of_options(const InputError& error, const OptionAt& option_at);

}  // namespace gpucap::cli

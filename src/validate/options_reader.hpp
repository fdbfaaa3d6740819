#pragma once

#include "gpucap/catalog/json_document.hpp"
#include "gpucap/scenario/options.hpp"

#include <string_view>

namespace gpucap::validate {

/// The object below `key` as options, each text in its place; none where there is no such object.
scenario::Options read_options(catalog::ObjectReader& parent, std::string_view key);

}  // namespace gpucap::validate

#pragma once

#include "gpucap/models/transformer.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpucap::calibrate {

/// Shapes behind the names that the tables of measured training use: "MPT-7b", "Qwen-14B",
/// "Qwen2.5-3B", "bert_large_squad". Nothing for other names.
std::optional<models::Transformer> training_shape(std::string_view name);

}  // namespace gpucap::calibrate

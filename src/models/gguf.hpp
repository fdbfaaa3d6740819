#pragma once

#include "gpucap/models/transformer.hpp"

#include <optional>
#include <string>

namespace gpucap::models {

/// "q8_0" or "q4_k_m" for this model; nothing for other names.
std::optional<WeightFormat> gguf_format(const Transformer& model, const std::string& name);

}  // namespace gpucap::models

#pragma once

#include "gpucap/training/question.hpp"
#include "gpucap/training/settings.hpp"

#include <optional>

#include "sections.hpp"

namespace gpucap::scenario {

/// "model": a transformer, or a convolution net by the id of its layer list.
std::optional<training::Network> read_network(ObjectReader& object, const Reading& reading);

/// "software": the class of that name, or what suits network and method.
training::Software read_software_class(ObjectReader& object, Library& library,
                                       const training::Network& network,
                                       const training::Settings& settings,
                                       std::optional<std::string> otherwise = std::nullopt);

}  // namespace gpucap::scenario

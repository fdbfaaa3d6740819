#pragma once

#include "gpucap/training/rated_model.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace gpucap::catalog {

/// Models known by throughput alone, of <data_dir>/scenarios/rated by id. Throws InputError with
/// all problems of a file.
std::map<std::string, training::RatedModel> load_rated_models(
    const std::filesystem::path& data_dir);

}  // namespace gpucap::catalog

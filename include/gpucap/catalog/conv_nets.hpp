#pragma once

#include "gpucap/models/conv_net.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace gpucap::catalog {

/// Image networks of <data_dir>/scenarios/convnets by id. Throws InputError with all problems of a
/// file; a count of parameters other than the published one is a problem.
std::map<std::string, models::ConvNet> load_conv_nets(const std::filesystem::path& data_dir);

}  // namespace gpucap::catalog

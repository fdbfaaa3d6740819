#pragma once

#include <string>

namespace gpucap {

/// Version of the program, e.g. "0.1.0".
std::string version();

}  // namespace gpucap

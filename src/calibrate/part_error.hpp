#pragma once

#include "gpucap/core/error.hpp"

#include <string>
#include <utility>

namespace gpucap::calibrate {

/// A fault of one part of a fit; the part stands where a file would name a field.
inline InputError part_error(const std::string& part, std::string message, std::string code) {
  return InputError(Problem{"", "", part, std::move(message), std::move(code)});
}

}  // namespace gpucap::calibrate

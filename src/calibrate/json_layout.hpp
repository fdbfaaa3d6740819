#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace gpucap::calibrate {

/// Rounded to so many digits for reading: its shortest text is then short.
double rounded(double value, int digits);

/// Objects one key a line, lists of objects one object a line, lists of numbers in one line.
std::string laid_out(const nlohmann::ordered_json& value, const std::string& indent = "");

}  // namespace gpucap::calibrate

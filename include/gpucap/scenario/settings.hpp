#pragma once

#include "gpucap/catalog/json_document.hpp"

#include <string>
#include <vector>

namespace gpucap::scenario {

/// One command-line option as the place in a scenario that it stands for.
struct Setting {
  std::string option;    ///< "--gpu"; problems of the value name it
  std::string pointer;   ///< "/candidates/0/node/gpu"
  std::string value;     ///< JSON where it is valid JSON, otherwise a text
  bool is_text = false;  ///< never read as JSON: names and texts with units
};

/// A scenario of one candidate made from options, its workload of the kind "serving" or "training".
/// It is read by the same reader as a file, so options and files mean the same things.
catalog::JsonDocument document_from(const std::string& name, const std::string& kind,
                                    const std::vector<Setting>& settings);

/// Problems that carry only a pointer get the file, line and column of the document.
InputError located(const InputError& error, catalog::JsonDocument& document);

}  // namespace gpucap::scenario

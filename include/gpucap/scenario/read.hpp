#pragma once

#include "gpucap/catalog/json_document.hpp"
#include "gpucap/scenario/library.hpp"
#include "gpucap/scenario/scenario.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gpucap::scenario {

/// Opens a scenario file with everything that it includes (paths are relative to the file that
/// states them; a cycle is an error) and applies `--set /pointer=VALUE` texts. VALUE is JSON where
/// it is valid JSON, otherwise a text.
catalog::JsonDocument open_document(const std::filesystem::path& file,
                                    const std::vector<std::string>& set);

/// What a scenario asks about: /workload/kind.
enum class Kind : std::uint8_t { serving, training, cluster };
/// Throws InputError when the document states none or an unknown one.
Kind kind_of(catalog::JsonDocument& document);

/// Reads a document of serving strictly, names looked up in the library. Throws InputError with
/// every problem. `folder` is that against which paths inside the document are resolved.
Scenario read_scenario(catalog::JsonDocument& document, const std::filesystem::path& folder,
                       Library& library);

}  // namespace gpucap::scenario

#pragma once

#include "gpucap/scenario/library.hpp"
#include "gpucap/validate/suite_report.hpp"

#include <filesystem>
#include <vector>

namespace gpucap::validate {

/// For each run that is logged request by request: every statistic with the measured and with the
/// predicted KV pool beside the peer's errors, and what each part of the model is worth.
std::vector<Section> replay_sections(const std::filesystem::path& folder,
                                     const std::filesystem::path& data_dir,
                                     scenario::Library& library);

}  // namespace gpucap::validate

#pragma once

#include "gpucap/hardware/collective.hpp"
#include "gpucap/perf/calibration.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gpucap::catalog {

inline constexpr std::string_view collectives_file = "calibration/fits/collectives.json";
inline constexpr std::string_view links_file = "calibration/fits/links.json";

/// Every measured set, as no card in particular sees them. Throws InputError.
std::vector<perf::CollectiveFit> read_collectives(const std::filesystem::path& data_dir);
/// The same for `gpu`: its own sets are measured ones.
std::vector<perf::CollectiveFit> seen_by(const std::string& gpu,
                                         std::vector<perf::CollectiveFit> sets);

/// What links achieve where no set was measured. A kind of link that is missing is a problem.
hardware::LinkRates read_links(const std::filesystem::path& data_dir);

}  // namespace gpucap::catalog

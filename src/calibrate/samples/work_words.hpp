#pragma once

#include "gpucap/catalog/json_document.hpp"
#include "gpucap/measure/work.hpp"

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace gpucap::calibrate {

/// Puts kind and sizes into a sample.
void put_work(nlohmann::ordered_json& sample, const measure::Work& work);
/// Reads them; an unknown kind or a size that is none is a problem of the document.
measure::Work read_work(catalog::ObjectReader& sample);

}  // namespace gpucap::calibrate

#pragma once

#include "gpucap/calibrate/sample_table.hpp"
#include "gpucap/measure/samples.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace gpucap::calibrate {

// The samples file, JSON of format "gpucap-samples/1" (docs/models/samples.md).
std::string samples_json(const measure::Samples& samples);
/// Throws InputError with every problem of the file.
measure::Samples read_samples(const std::filesystem::path& path);

/// "gemm", "attention", "rms_norm": what a samples file calls the work.
std::string kind_of(const measure::Work& work);

/// The launches that fits are made of, as tables: products, attention, element-wise kernels. Of
/// several implementations of one product the fastest counts, as an engine chooses. `file` is the
/// name that the tables bear.
std::vector<SampleTable> tables_of(const measure::Samples& samples, const std::string& file);

}  // namespace gpucap::calibrate

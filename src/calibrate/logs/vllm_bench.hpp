#pragma once

#include "gpucap/calibrate/served_run.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace gpucap::calibrate {

// The two forms in which vLLM's serving benchmark tells its results; read_vllm_bench chooses.
// Both throw InputError.

std::vector<ServedRun> vllm_bench_json(const std::filesystem::path& file, std::string text);
std::vector<ServedRun> vllm_bench_text(const std::filesystem::path& file, const std::string& text);

/// Names of the latencies there and here: {"e2el", "e2e"}.
const std::vector<std::pair<std::string, std::string>>& bench_latencies();
/// Names of the statistics there and here: {"median", "p50"}.
const std::vector<std::pair<std::string, std::string>>& bench_statistics();

}  // namespace gpucap::calibrate

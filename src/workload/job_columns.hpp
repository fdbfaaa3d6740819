#pragma once

#include <string_view>

namespace gpucap::workload::own_column {

// The columns of own job traces, for reader and writer.
inline constexpr std::string_view submit = "submit_s";
inline constexpr std::string_view gpus = "gpus";
inline constexpr std::string_view duration = "duration_s";
inline constexpr std::string_view id = "id";
inline constexpr std::string_view user = "user";
inline constexpr std::string_view model = "model";
inline constexpr std::string_view time_limit = "time_limit_s";
inline constexpr std::string_view priority = "priority";
inline constexpr std::string_view gpu_models = "gpu_models";
inline constexpr std::string_view batch_size = "batch_size";
inline constexpr std::string_view iterations = "iterations";
inline constexpr std::string_view recorded_gpu = "recorded_gpu";
inline constexpr std::string_view scalability = "iterations_per_s";

}  // namespace gpucap::workload::own_column

#pragma once

#include <cstdint>

#include "kernels/numbers.hpp"

namespace gpucap::measure::cuda {

/// Element `index` of an array in device memory.
double read_number(const void* array, std::int64_t index, Number number);
std::int32_t read_int(const void* array, std::int64_t index);

}  // namespace gpucap::measure::cuda

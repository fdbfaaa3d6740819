#pragma once

/// Marks index arithmetic that kernels and host tests share: without nvcc it is plain C++.
#ifdef __CUDACC__
#define GPUCAP_HD __host__ __device__
#else
#define GPUCAP_HD
#endif

namespace gpucap::measure::cuda {

template <class Integer>
GPUCAP_HD constexpr Integer ceil_div(Integer value, Integer divisor) {
  return (value + divisor - 1) / divisor;
}

template <class Integer>
GPUCAP_HD constexpr Integer round_up(Integer value, Integer multiple) {
  return ceil_div(value, multiple) * multiple;
}

}  // namespace gpucap::measure::cuda

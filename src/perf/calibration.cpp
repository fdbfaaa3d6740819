#include "gpucap/perf/calibration.hpp"

namespace gpucap::perf {
namespace {

template <class Origin, class Fits>
std::vector<std::pair<std::string, Origin*>> list(Fits& fits) {
  std::vector<std::pair<std::string, Origin*>> parts{{"matrix products", &fits.gemm_origin},
                                                     {"prefill attention", &fits.prefill_origin},
                                                     {"decode attention", &fits.decode_origin}};
  if (fits.mixed) parts.emplace_back("mixed attention", &fits.mixed_origin);
  parts.emplace_back("element-wise kernels", &fits.elementwise_origin);
  parts.emplace_back("sampler", &fits.sampler_origin);
  return parts;
}

}  // namespace

std::vector<std::pair<std::string, const FitOrigin*>> parts_of(const Calibration& calibration) {
  return list<const FitOrigin>(calibration);
}

std::vector<std::pair<std::string, FitOrigin*>> parts_of(Calibration& calibration) {
  return list<FitOrigin>(calibration);
}

}  // namespace gpucap::perf

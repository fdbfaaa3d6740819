#include "gpucap/perf/roofline.hpp"

namespace gpucap::perf {

Calibration roofline(const Calibration& fitted) {
  FitOrigin origin;
  origin.source = "spec sheet only: every kernel at full peak and bandwidth, no start cost";
  Calibration ideal;
  ideal.gemm.ec = ideal.gemm.eb = 1;
  ideal.prefill.ec = ideal.prefill.eb = 1;
  ideal.decode.eb = 1;
  ideal.links = hardware::LinkRates::nominal();
  ideal.gemm_origin = ideal.prefill_origin = ideal.decode_origin = origin;
  ideal.elementwise_origin = ideal.sampler_origin = origin;
  ideal.power = fitted.power;
  return ideal;
}

}  // namespace gpucap::perf

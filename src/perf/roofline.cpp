#include "gpucap/perf/roofline.hpp"

namespace gpucap::perf {

Calibration roofline(const Calibration& fitted) {
  FitOrigin origin;
  origin.source = "spec sheet only: every kernel at full peak and bandwidth, no start cost";
  constexpr double sharp = 64;  // a p-norm of this order is a maximum to within 1.1 per cent
  Calibration ideal;
  ideal.gemm = {1, 1, sharp, Seconds{}};
  ideal.prefill.ec = ideal.prefill.eb = 1;
  ideal.decode.eb = 1;
  ideal.links = hardware::LinkRates::nominal();
  ideal.gemm_origin = ideal.prefill_origin = ideal.decode_origin = origin;
  ideal.elementwise_origin = ideal.sampler_origin = origin;
  ideal.power = fitted.power;
  return ideal;
}

}  // namespace gpucap::perf

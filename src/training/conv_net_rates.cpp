#include "gpucap/perf/kernel.hpp"
#include "gpucap/training/conv_net.hpp"

namespace gpucap::training {
namespace {

/// A product so large that neither tiles nor traffic matter: what is left is the rate that lasts.
constexpr std::int64_t large_side = 16384;

}  // namespace

ConvNetRates conv_net_rates(const hardware::Gpu& gpu, const perf::Calibration& calibration,
                            Dtype arithmetic) {
  ConvNetRates rates;
  rates.number_bytes = bits(arithmetic) / 8.0;
  rates.bandwidth = gpu.memory_bandwidth;
  rates.cycles = gpu.boost_clock.value_or(Frequency{}) * gpu.sm_count;
  const perf::Card card{gpu.peak(arithmetic), gpu.memory_bandwidth, gpu.sm_count,
                        calibration.sustained.share};
  const perf::GemmShape large{large_side, large_side, large_side, rates.number_bytes,
                              rates.number_bytes};
  const perf::Work work =
      perf::gemm(calibration.gemm, card, large).slowed(calibration.gemm_origin.factor);
  rates.products = work.flops / work.time();
  return rates;
}

ConvNetTerms conv_net_terms(const ConvNetRates& rates, const ConvNetWork& work) {
  ConvNetTerms terms;
  terms.products = (work.forward.flops + work.backward.flops) / rates.products;
  const double moved = work.forward.moved + work.backward.moved;
  terms.streams = moved * rates.number_bytes * unit::byte / rates.bandwidth;
  // A card without a stated clock is taken to lose nothing here, which conv_net_step says.
  if (rates.cycles > Frequency{}) {
    terms.cycles = work.conv_outputs / rates.cycles.in(unit::per_s)*unit::s;
  }
  return terms;
}

}  // namespace gpucap::training

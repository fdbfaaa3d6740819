#include "gpucap/training/rated_model.hpp"

#include "gpucap/training/conv_net.hpp"

#include <algorithm>
#include <cmath>

namespace gpucap::training {

std::optional<Frequency> measured_rate(const RatedModel& model, std::int64_t global_batch,
                                       std::int64_t cards) {
  for (const RatedModel::Rate& rate : model.rates) {
    if (rate.global_batch == global_batch && rate.cards == cards) return rate.steps;
  }
  return std::nullopt;
}

RatedRatio recurrent_ratio(const hardware::Gpu& card, const perf::Calibration& calibration,
                           const hardware::Gpu& reference,
                           const perf::Calibration& reference_calibration) {
  const FlopRate products = conv_net_rates(card, calibration, Dtype::fp16).products;
  const FlopRate before = conv_net_rates(reference, reference_calibration, Dtype::fp16).products;
  const double launching = 1;
  std::vector<double> bounds{launching, card.memory_bandwidth / reference.memory_bandwidth,
                             products / before};
  if (card.boost_clock && reference.boost_clock) {
    bounds.push_back(*card.boost_clock / *reference.boost_clock);
  }
  double logs = 0;
  for (const double bound : bounds) logs += std::log(bound);
  const auto [low, high] = std::minmax_element(bounds.begin(), bounds.end());
  return {std::exp(logs / static_cast<double>(bounds.size())), *low, *high};
}

}  // namespace gpucap::training

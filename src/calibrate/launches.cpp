#include "launches.hpp"

namespace gpucap::calibrate {

ScreenedLaunches::ScreenedLaunches(const Form& form, const perf::Card& card, const ColdRule& cold)
    : form_(form), cold_(cold) {
  std::vector<SplitKey> keys;
  for (const Measured& launch : form.launches) keys.push_back(launch.key);
  split_ = split(keys);
  for (std::size_t i = 0; i < form.launches.size(); ++i) {
    const auto fault = impossible(form.work[i], form.launches[i].time, card, cold.from);
    if (fault) ++refused_[*fault];
    usable_.push_back(!fault);
  }
}

bool ScreenedLaunches::chosen(std::size_t launch, Heat heat) const {
  const bool warm = form_.work[launch].bytes < cold_.from;
  return usable_[launch] && (heat == Heat::any || cold_.fit_warm || !warm);
}

std::vector<std::size_t> ScreenedLaunches::to_fit(Heat heat) const {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < form_.launches.size(); ++i) {
    if (chosen(i, heat) && !split_.held_out[i] && form_.launches[i].weight > 0) list.push_back(i);
  }
  return list;
}

std::vector<std::size_t> ScreenedLaunches::to_judge(Heat heat) const {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < form_.launches.size(); ++i) {
    if (chosen(i, heat) && split_.held_out[i]) list.push_back(i);
  }
  return list;
}

}  // namespace gpucap::calibrate

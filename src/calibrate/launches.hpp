#pragma once

#include "gpucap/calibrate/fit.hpp"

#include <cstddef>
#include <vector>

namespace gpucap::calibrate {

/// The launches of a form that its card can have done, apart for fitting and for judging. Launches
/// are named by their index in the form.
class ScreenedLaunches {
 public:
  ScreenedLaunches(const Form& form, const perf::Card& card, const ColdRule& cold);

  /// By the cold rule, or every launch whatever the rule says.
  enum class Heat { ruled, any };
  /// Those with a weight that no group holds back.
  [[nodiscard]] std::vector<std::size_t> to_fit(Heat heat) const;
  /// Held-out ones, whatever their weight.
  [[nodiscard]] std::vector<std::size_t> to_judge(Heat heat) const;

  /// The group of the split that a launch is in; its errors hang together.
  [[nodiscard]] std::size_t group(std::size_t launch) const { return split_.group[launch]; }
  [[nodiscard]] const Refusals& refused() const { return refused_; }

 private:
  [[nodiscard]] bool chosen(std::size_t launch, Heat heat) const;

  const Form& form_;
  ColdRule cold_;
  Split split_;
  std::vector<bool> usable_;
  Refusals refused_;
};

}  // namespace gpucap::calibrate

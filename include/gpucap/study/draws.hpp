#pragma once

#include "gpucap/evaluate/outcome.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace gpucap::study {

/// Collects what the candidates of one load did in each Monte Carlo draw. All candidates of a draw
/// share its luck, so a draw is one fair comparison.
class DrawCollector {
 public:
  /// The candidates in the order of the scenario, as many in each call; one call for each draw.
  void add(std::span<const evaluate::Outcome> candidates);

  /// Writes the middle 80 % of each figure (nearest rank) and the shares of draws into the
  /// outcomes of the run without draws. A figure that does not exist in a draw is left out there.
  void write(std::span<evaluate::Outcome> candidates) const;

 private:
  struct Seen {
    std::int64_t qualified = 0, cheapest = 0, fastest = 0, least_energy = 0;
    std::map<std::string, std::vector<double>> figures;
  };
  std::int64_t draws_ = 0;
  std::vector<Seen> seen_;
};

}  // namespace gpucap::study

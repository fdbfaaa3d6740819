#pragma once

#include <cstdint>
#include <string>

namespace gpucap::measure::cuda {

/// What the kernels' launches depend on.
struct Card {
  int index = 0;
  int count = 1;  ///< cards of this machine; the peers are those after `index`
  std::string name, bus_id;
  int capability = 0;  ///< 90: compute capability 9.0
  int processors = 0;
  std::int64_t memory = 0, l2 = 0;  ///< bytes
};

/// Card `index`; see open_cuda for what it throws.
Card find_card(int index);

}  // namespace gpucap::measure::cuda

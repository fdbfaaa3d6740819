#pragma once

#include <cstdint>
#include <string_view>

namespace gpucap {

/// A named stream of random numbers. Its seed is (run seed, name), so drawing more from "lengths"
/// never shifts "arrivals". The generator (xoshiro256++) and every distribution are written out
/// here because those of the standard library differ between implementations.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view name);

  std::uint64_t bits();
  double uniform();                                               ///< in [0, 1), 53 random bits
  std::int64_t uniform_int(std::int64_t low, std::int64_t high);  ///< both ends included
  double exponential(double mean);                                ///< mean > 0
  double normal();                                                ///< mean 0, deviation 1
  double gamma(double shape, double scale);  ///< shape > 0; Marsaglia and Tsang (2000)

 private:
  std::uint64_t state_[4];
};

}  // namespace gpucap

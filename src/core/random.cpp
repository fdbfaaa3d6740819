#include "gpucap/core/random.hpp"

#include <bit>
#include <cmath>
#include <numbers>

namespace gpucap {
namespace {

// splitmix64 (Steele, Lea and Flood 2014): turns any seed into well mixed states.
std::uint64_t splitmix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// FNV-1a, so that a stream's seed depends on its name and not on the order of creation.
std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view name) {
  std::uint64_t mixed = seed ^ hash_of(name);
  for (auto& word : state_) word = splitmix(mixed);
}

// xoshiro256++ (Blackman and Vigna 2019).
std::uint64_t RandomStream::bits() {
  const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double RandomStream::uniform() {
  return static_cast<double>(bits() >> 11) * 0x1.0p-53;
}

std::int64_t RandomStream::uniform_int(std::int64_t low, std::int64_t high) {
  const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  if (span == 0) return static_cast<std::int64_t>(bits());
  // Rejection keeps every value equally likely.
  const std::uint64_t limit = ~std::uint64_t{0} - (~std::uint64_t{0} % span + 1) % span;
  std::uint64_t draw = bits();
  while (draw > limit) draw = bits();
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + draw % span);
}

double RandomStream::exponential(double mean) {
  return -mean * std::log1p(-uniform());
}

double RandomStream::normal() {
  // Box and Muller, one of the pair: a stream without hidden state is easier to reason about.
  const double radius = std::sqrt(-2 * std::log1p(-uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

double RandomStream::gamma(double shape, double scale) {
  if (shape < 1) return gamma(shape + 1, scale) * std::pow(uniform(), 1 / shape);
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal();
    const double v = std::pow(1 + c * x, 3);
    if (v > 0 && std::log1p(-uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) {
      return d * v * scale;
    }
  }
}

}  // namespace gpucap

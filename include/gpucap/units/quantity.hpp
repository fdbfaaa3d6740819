#pragma once

#include <compare>

namespace gpucap {

/// A physical quantity held in base units (second, byte, FLOP, joule), its dimension in the type.
/// The exponents are those of time, data, work and energy; a wrong combination does not compile.
/// Numbers enter by multiplying with a unit (`80 * unit::GiB`) and leave by `in(unit)`.
template <int Time, int Data, int Work, int Energy>
class Quantity {
 public:
  constexpr Quantity() = default;
  static constexpr Quantity from_base(double value) { return Quantity(value); }

  /// The number of `unit`s that this quantity makes up.
  [[nodiscard]] constexpr double in(Quantity unit) const { return base_ / unit.base_; }
  [[nodiscard]] constexpr double base() const { return base_; }

  constexpr auto operator<=>(const Quantity&) const = default;

  constexpr Quantity operator+(Quantity other) const { return Quantity(base_ + other.base_); }
  constexpr Quantity operator-(Quantity other) const { return Quantity(base_ - other.base_); }
  constexpr Quantity operator-() const { return Quantity(-base_); }
  constexpr Quantity operator*(double factor) const { return Quantity(base_ * factor); }
  constexpr Quantity operator/(double divisor) const { return Quantity(base_ / divisor); }
  constexpr Quantity& operator+=(Quantity other) { return *this = *this + other; }
  constexpr Quantity& operator-=(Quantity other) { return *this = *this - other; }

 private:
  explicit constexpr Quantity(double base) : base_(base) {}
  double base_ = 0;
};

template <int T, int D, int W, int E>
constexpr Quantity<T, D, W, E> operator*(double factor, Quantity<T, D, W, E> q) {
  return q * factor;
}

/// Products and quotients of quantities; a dimensionless result is a plain double.
template <int T1, int D1, int W1, int E1, int T2, int D2, int W2, int E2>
constexpr auto operator*(Quantity<T1, D1, W1, E1> a, Quantity<T2, D2, W2, E2> b) {
  if constexpr (T1 + T2 == 0 && D1 + D2 == 0 && W1 + W2 == 0 && E1 + E2 == 0) {
    return a.base() * b.base();
  } else {
    return Quantity<T1 + T2, D1 + D2, W1 + W2, E1 + E2>::from_base(a.base() * b.base());
  }
}

template <int T1, int D1, int W1, int E1, int T2, int D2, int W2, int E2>
constexpr auto operator/(Quantity<T1, D1, W1, E1> a, Quantity<T2, D2, W2, E2> b) {
  if constexpr (T1 == T2 && D1 == D2 && W1 == W2 && E1 == E2) {
    return a.base() / b.base();
  } else {
    return Quantity<T1 - T2, D1 - D2, W1 - W2, E1 - E2>::from_base(a.base() / b.base());
  }
}

using Seconds = Quantity<1, 0, 0, 0>;
using Frequency = Quantity<-1, 0, 0, 0>;
using Bytes = Quantity<0, 1, 0, 0>;
using Bandwidth = Quantity<-1, 1, 0, 0>;
using Flops = Quantity<0, 0, 1, 0>;
using FlopRate = Quantity<-1, 0, 1, 0>;
using Joules = Quantity<0, 0, 0, 1>;
using Watts = Quantity<-1, 0, 0, 1>;

/// Units by name. Decimal and binary bytes are different constants: GB is 1e9, GiB is 2^30.
namespace unit {
inline constexpr Seconds s = Seconds::from_base(1);
inline constexpr Seconds ms = 1e-3 * s;
inline constexpr Seconds us = 1e-6 * s;
inline constexpr Seconds ns = 1e-9 * s;
inline constexpr Seconds minute = 60 * s;
inline constexpr Seconds hour = 3600 * s;
inline constexpr Seconds day = 24 * hour;

inline constexpr Bytes byte = Bytes::from_base(1);
inline constexpr Bytes kB = 1e3 * byte;
inline constexpr Bytes MB = 1e6 * byte;
inline constexpr Bytes GB = 1e9 * byte;
inline constexpr Bytes TB = 1e12 * byte;
inline constexpr Bytes KiB = 1024 * byte;
inline constexpr Bytes MiB = 1024 * KiB;
inline constexpr Bytes GiB = 1024 * MiB;
inline constexpr Bytes TiB = 1024 * GiB;

inline constexpr Flops flop = Flops::from_base(1);
inline constexpr Flops TFLOP = 1e12 * flop;

inline constexpr Bandwidth GB_per_s = GB / s;
inline constexpr FlopRate TFLOP_per_s = TFLOP / s;

inline constexpr Joules J = Joules::from_base(1);
inline constexpr Watts W = J / s;
inline constexpr Watts kW = 1e3 * W;
inline constexpr Joules Wh = W * hour;
inline constexpr Joules kWh = 1e3 * Wh;

inline constexpr Frequency per_s = Frequency::from_base(1);
inline constexpr Frequency MHz = 1e6 * per_s;
}  // namespace unit

}  // namespace gpucap

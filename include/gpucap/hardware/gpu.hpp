#pragma once

#include "gpucap/core/dtype.hpp"
#include "gpucap/units/quantity.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gpucap::hardware {

/// Can cards of this type copy to each other without going through host memory?
/// `unknown`: no source settles it; treated as no, and said so.
enum class PeerToPeer { yes, no, unknown };

/// "yes", "no" or "unknown".
std::string_view name(PeerToPeer peer_to_peer);

/// Where one cell of a spec sheet comes from.
struct Fact {
  std::string kind;    ///< source, measured, derived or assumed
  std::string source;  ///< in words
};

/// Spec sheet of one card. Peaks are dense, with FP32 accumulation.
struct Gpu {
  std::string id;    ///< lower case, e.g. "a100-pcie-80gb"
  std::string name;  ///< as the vendor writes it
  std::string vendor;
  std::string architecture;  ///< "Ampere", "Ada", "Hopper", ...
  std::string form_factor;   ///< "pcie", "sxm" or "oam"
  std::string compute_capability;

  int sm_count = 0;
  std::optional<Frequency> boost_clock;
  std::optional<Frequency> tensor_clock;  ///< that the vendor's tensor peak assumes
  std::map<Dtype, FlopRate> dense_peak;

  Bytes memory_total;    ///< as nvidia-smi shows it
  Bytes memory_visible;  ///< that a program can use; engines take their share of this
  Bandwidth memory_bandwidth;
  std::optional<Bytes> l2;

  Watts tdp;
  std::optional<Watts> idle_sleep;   ///< P8: nothing loaded
  std::optional<Watts> idle_loaded;  ///< P0: a model in memory, no work

  std::optional<int> pcie_generation;
  std::optional<int> pcie_lanes;
  std::optional<Bandwidth> nvlink;  ///< both directions together; absent = no NVLink
  PeerToPeer peer_to_peer = PeerToPeer::unknown;
  std::string ecc;

  /// By JSON key of the spec file, peaks as "dense_peaks/bf16".
  std::map<std::string, Fact> sources;

  /// Dense peak for arithmetic in `dtype`; FP16 stands in for BF16 and the reverse where only one
  /// is published (equal on every card since Ampere). Throws std::out_of_range when unknown.
  [[nodiscard]] FlopRate peak(Dtype dtype) const;

  /// Dense peak of the products that a fit belongs to: of BF16 or FP16, or of FP32 on a processor
  /// that has neither. Throws std::out_of_range where none is known.
  [[nodiscard]] FlopRate product_peak() const;

  /// Has arithmetic in `dtype`. What computes in BF16 does so in FP16, whether the sheet states it
  /// or not; the reverse does not hold.
  [[nodiscard]] bool computes_in(Dtype dtype) const;
};

}  // namespace gpucap::hardware

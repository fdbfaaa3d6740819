#include "gpucap/hardware/gpu.hpp"

#include <stdexcept>

#include <fmt/format.h>

namespace gpucap::hardware {
namespace {

/// The 16-bit format with the same tensor rate, where there is one.
std::optional<Dtype> twin(Dtype dtype) {
  if (dtype == Dtype::bf16) return Dtype::fp16;
  if (dtype == Dtype::fp16) return Dtype::bf16;
  return std::nullopt;
}

}  // namespace

std::string_view name(PeerToPeer peer_to_peer) {
  switch (peer_to_peer) {
    case PeerToPeer::yes:
      return "yes";
    case PeerToPeer::no:
      return "no";
    case PeerToPeer::unknown:
      break;
  }
  return "unknown";
}

FlopRate Gpu::peak(Dtype dtype) const {
  auto found = dense_peak.find(dtype);
  if (const auto other = twin(dtype); found == dense_peak.end() && other) {
    found = dense_peak.find(*other);
  }
  if (found != dense_peak.end()) return found->second;
  throw std::out_of_range(fmt::format("no {} peak is known for {}", gpucap::name(dtype), id));
}

FlopRate Gpu::product_peak() const {
  const bool narrow = dense_peak.contains(Dtype::bf16) || dense_peak.contains(Dtype::fp16);
  return peak(narrow ? Dtype::bf16 : Dtype::fp32);
}

bool Gpu::computes_in(Dtype dtype) const {
  return dense_peak.contains(dtype) || (dtype == Dtype::fp16 && dense_peak.contains(Dtype::bf16));
}

}  // namespace gpucap::hardware

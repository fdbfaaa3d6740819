#pragma once

#include "gpucap/core/dtype.hpp"
#include "gpucap/units/quantity.hpp"

#include <cstdint>
#include <string>
#include <variant>

namespace gpucap::measure {

// What can be measured: a kernel with its sizes. The names are those of the samples file
// (docs/models/samples.md), the sizes those of the forms in perf/kernel.hpp.

/// Reads one array and writes another, or a = b + s c over three; `bytes` of one array.
struct Stream {
  enum class Kind { copy, triad };
  Kind kind = Kind::copy;
  Bytes bytes;
  friend bool operator==(const Stream&, const Stream&) = default;
};

/// [m, k] x [k, n] with numbers of `dtype`, summed up in `accumulate`.
struct Product {
  Dtype dtype = Dtype::bf16, accumulate = Dtype::fp32;
  std::int64_t m = 0, n = 0, k = 0;
  friend bool operator==(const Product&, const Product&) = default;
};

/// One layer's attention over `batch` sequences with `q` new tokens and `kv` tokens in all each,
/// causal: q = kv is a whole prompt, q = 1 a decode step that reads a paged KV cache.
struct Attention {
  std::int64_t heads = 0, kv_heads = 0, head_dim = 0, batch = 1, q = 1, kv = 1;
  friend bool operator==(const Attention&, const Attention&) = default;
};

/// An element-wise kernel of a decoder layer over `tokens` vectors of `width` numbers: RMS norm
/// with the residual added, rotary embedding of queries and keys, SiLU of one half times the other
/// (`width` of each half).
struct Pass {
  enum class Kind { rms_norm, rope, silu_mul };
  Kind kind = Kind::rms_norm;
  std::int64_t tokens = 0, width = 0;
  friend bool operator==(const Pass&, const Pass&) = default;
};

/// `kernels` empty kernels in a row, one by one or as one graph.
struct Launch {
  bool graph = false;
  int kernels = 1;
  friend bool operator==(const Launch&, const Launch&) = default;
};

/// A copy between host (pinned) and device, or to the neighbouring card: directly, or through host
/// memory where peers do not reach each other.
struct Transfer {
  enum class Kind { host_to_device, device_to_host, peer, staged };
  Kind kind = Kind::host_to_device;
  Bytes bytes;
  friend bool operator==(const Transfer&, const Transfer&) = default;
};

/// Sum of `payload` bytes of 16-bit numbers over `ranks` cards, left on all of them.
struct AllReduce {
  int ranks = 2;
  Bytes payload;
  friend bool operator==(const AllReduce&, const AllReduce&) = default;
};

using Work = std::variant<Stream, Product, Attention, Pass, Launch, Transfer, AllReduce>;

/// Whether operands come from device memory or may still lie in the last-level cache.
enum class Cache { cold, warm };

}  // namespace gpucap::measure

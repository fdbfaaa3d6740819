#pragma once

#include "gpucap/measure/device.hpp"

#include <cstdint>
#include <memory>

namespace gpucap::measure {

/// A decoder-only transformer with gated MLP and grouped queries, small enough for a processor.
struct DecoderShape {
  std::int64_t layers = 8, hidden = 512, ffn = 1536, heads = 8, kv_heads = 4, head_dim = 64,
               vocab = 8192;
};

/// One with random weights that this machine's processor runs, from embedding to logits, on the
/// kernels that open_cpu measures. Tasks share its weights: one at a time.
class Decoder {
 public:
  Decoder(const DecoderShape& shape, int threads, std::uint64_t seed);
  ~Decoder();

  /// A whole prompt in one pass, logits of its last token. `error()` of both kinds of task is 0
  /// where all logits are numbers, else infinite.
  std::unique_ptr<Task> prefill(std::int64_t tokens);
  /// One token of each of `batch` sequences of `context` tokens, the new one included.
  std::unique_ptr<Task> decode(std::int64_t batch, std::int64_t context);

  /// Logits of the last token of a prompt, once by a pass over all of it and once by a pass over
  /// all but the last token and a decode step: the largest difference over the largest logit.
  double prefill_against_decode(std::int64_t tokens);

 private:
  class Network;
  std::shared_ptr<Network> network_;
};

}  // namespace gpucap::measure

#pragma once

#include "gpucap/training/memory.hpp"

#include <string>

#include "support/memory_shapes.hpp"

namespace gpucap::test {

/// Software that adds nothing to what is counted: no context, no buffers, no slack.
inline training::Software plain_software() {
  training::Software software;
  software.id = "plain";
  software.memory.optimizer_temporary = 0;
  return software;
}

/// Data-parallel on `cards` cards of 80 GiB.
inline training::Question training_job(models::Transformer model, int cards = 1, int zero = 0) {
  training::Question question;
  question.network = std::move(model);
  question.node.gpu = card(80);
  for (const Dtype dtype : {Dtype::fp32, Dtype::bf16, Dtype::fp8}) {
    question.node.gpu.dense_peak[dtype] = 1 * unit::TFLOP_per_s;
  }
  question.node.count = cards;
  question.node.host.max_gpus = 1024;  // one machine: memory does not look at links
  question.layout.data = cards;
  question.layout.zero = zero;
  question.software = plain_software();
  return question;
}

inline Bytes term(const training::Footprint& footprint, const std::string& name) {
  for (const auto& [known, bytes] : footprint.terms) {
    if (known == name) return bytes;
  }
  return {};
}

inline Bytes needed(const training::Footprint& f) {
  return f.weights + f.gradients + f.optimizer + f.activations + f.other;
}

}  // namespace gpucap::test

#pragma once

#include "gpucap/training/question.hpp"

#include <cstdint>

namespace gpucap::training {

/// Largest micro-batch per rank that fits with everything else as it is; 0 when not even one
/// sample does.
std::int64_t largest_micro_batch(Question question);

/// Longest sequence in tokens that fits with everything else as it is, at most the positions of the
/// model and a multiple of the context-parallel ranks; 0 when none does. 0 for convolution nets.
std::int64_t largest_seq_len(Question question);

}  // namespace gpucap::training

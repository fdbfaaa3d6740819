#pragma once

#include "gpucap/perf/kernel.hpp"
#include "gpucap/training/question.hpp"
#include "gpucap/units/quantity.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gpucap::training {

/// One optimiser step of the slowest rank. The parts add up to `time`.
struct StepTime {
  Seconds time;
  Seconds compute;        ///< forward, backward and recompute, host floor included
  Seconds communication;  ///< exposed exchange between cards
  Seconds optimizer;      ///< updating weights, here or on the host, with its copies
  Seconds bubble;         ///< pipeline stages that wait
  Seconds offload;        ///< exposed copies of weights or activations over the host link
  Seconds straggle;       ///< waiting for the slowest of the ranks

  Seconds forward, backward, recompute;  ///< parts of compute
  std::int64_t tokens = 0;               ///< of all ranks; 0 for convolution nets
  std::int64_t samples = 0;              ///< sequences or images of all ranks
  Flops model_flops;          ///< of all ranks, as MFU counts them: causal attention, no recompute
  Flops hardware_flops;       ///< with what is computed again
  perf::Work work;            ///< of one card in this step: for energy and for what limits it
  double relative_error = 0;  ///< 80 of 100 such steps lie within; 0: not known
  std::vector<std::string> notes;  ///< what is transferred, assumed or not validated
};

/// Forms and evidence: docs/models/training-time.md. The layout must have no problem and memory is
/// not looked at. Throws std::invalid_argument when layout_problem() is not empty.
StepTime training_step(const Question& question);

class CollectiveBook;
/// The same with what is known of the node's collectives, for many questions on one node: the book
/// must be one of this host and calibration.
StepTime training_step(const Question& question, CollectiveBook& book);

}  // namespace gpucap::training

#pragma once

#include "gpucap/models/transformer.hpp"
#include "gpucap/training/step.hpp"

#include <string>
#include <vector>

namespace gpucap::training {

/// Relative error of a step, 80 of 100 within: of the software class, of kernels that another card
/// stands in for, and of the exchange as far as it shows. 0 when the class states none.
double step_error(const Question& question, const StepTime& step, double exchange_interval);

/// What is transferred, assumed or not validated about the step of a transformer.
std::vector<std::string> step_notes(const Question& question, const models::Transformer& model);

}  // namespace gpucap::training

#pragma once

#include "gpucap/models/conv_net.hpp"
#include "gpucap/models/transformer.hpp"
#include "gpucap/perf/calibration.hpp"
#include "gpucap/plan/serving_plan.hpp"
#include "gpucap/training/settings.hpp"
#include "gpucap/training/software.hpp"

#include <optional>
#include <string>
#include <variant>

namespace gpucap::training {

using Network = std::variant<models::Transformer, models::ConvNet>;

/// One job on one node (or, beyond the cards of one machine, on equal machines joined by their
/// NICs), everything resolved.
struct Question {
  Network network;
  plan::Node node;
  Layout layout;
  Settings settings;
  Software software;
  perf::Calibration calibration;
};

/// Why the job cannot be laid out or is contradictory in itself ("32 heads cannot be split over 3
/// cards", "zero 3 and pipeline stages exclude each other"); nothing when it can. Memory is not
/// looked at.
std::optional<std::string> layout_problem(const Question& question);

}  // namespace gpucap::training

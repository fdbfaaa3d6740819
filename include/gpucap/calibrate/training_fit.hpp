#pragma once

#include "gpucap/calibrate/training_samples.hpp"
#include "gpucap/training/software.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gpucap::calibrate {

/// A constant of a software class that is found by least squares.
struct TimeConstant {
  std::string key;   ///< of the class file: "products"
  std::string unit;  ///< "us", or empty for a plain number
  double start = 1, low = 0, high = 0;
  std::function<void(training::Software::Time&, double)> set;
};

/// A class before its fit: constants that are stated, and those that are to be found.
struct TrainingClass {
  training::Software software;
  std::vector<TimeConstant> constants;
  bool groups_are_models = false;  ///< which samples are left out together; else cards
};

/// framework, tuned, huggingface-deepspeed, dl-examples, lenders first;
/// docs/models/training-time.md says why which constant is fitted on which rows.
std::vector<TrainingClass> training_classes();

/// Errors of some samples, in predicted over measured time.
struct TrainingErrors {
  std::string group, part;
  std::size_t count = 0;
  double median = 0, p80 = 0, worst = 0;  ///< of |ln|
  double bias = 0;                        ///< mean of ln
};

struct FittedConstant {
  std::string key;
  double value = 0, standard_error = 0;
  bool at_bound = false;
  double low = 0, high = 0;  ///< least and most with one group of samples left out
};

struct TrainingFit {
  training::Software software;
  std::vector<FittedConstant> constants;
  std::vector<TrainingErrors> errors;    ///< by part and card
  std::vector<TrainingErrors> left_out;  ///< each group predicted by the others
  std::vector<double> ratios;            ///< predicted over measured time, by sample
  std::vector<TrainingSample> samples;   ///< of this class, in the order of `ratios`
};

/// Least squares on ln(predicted / measured) over the samples of the class whose part is "fit";
/// all samples of a card, or of a model, are one group. Without the groups left out one at a time,
/// which is most of the work, intervals, `left_out` and relative_error say nothing.
enum class LeaveOut : std::uint8_t { no, groups };
TrainingFit fit_training(const TrainingClass& one, const std::vector<TrainingSample>& samples,
                         LeaveOut leave_out = LeaveOut::groups);

/// All classes in their order.
std::vector<TrainingFit> fit_training_classes(const std::vector<TrainingSample>& samples);

/// Constants with errors and intervals by class, for people to carry into the class files.
std::string training_fits_json(const std::vector<TrainingFit>& fits);

}  // namespace gpucap::calibrate

#include "gpucap/calibrate/training_fit.hpp"

#include "gpucap/calibrate/least_squares.hpp"
#include "gpucap/core/statistics.hpp"
#include "gpucap/training/step.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace gpucap::calibrate {
namespace {

using training::Software;
using Time = Software::Time;

double predicted(TrainingSample& sample, const Software& software) {
  sample.question.software = software;
  return training::training_step(sample.question).time.in(sample.step);
}

const std::string& group_of(const TrainingClass& one, const TrainingSample& sample) {
  return one.groups_are_models ? sample.model : sample.gpu;
}

std::vector<std::size_t> groups_of(const TrainingClass& one,
                                   const std::vector<TrainingSample>& samples) {
  std::map<std::string, std::size_t> numbers;
  std::vector<std::size_t> groups;
  for (const auto& sample : samples) {
    groups.push_back(numbers.emplace(group_of(one, sample), numbers.size()).first->second);
  }
  return groups;
}

Solution solve(const TrainingClass& one, std::vector<TrainingSample> samples) {
  std::vector<Unknown> unknowns;
  for (const TimeConstant& constant : one.constants) {
    unknowns.push_back({constant.start, constant.low, constant.high});
  }
  Observations seen;
  seen.log_measured.assign(samples.size(), 0);
  seen.weight.assign(samples.size(), 1);
  seen.cluster = groups_of(one, samples);
  return least_squares(unknowns, seen, [&](std::span<const double> values, std::span<double> out) {
    Software software = one.software;
    for (std::size_t i = 0; i < values.size(); ++i) {
      one.constants[i].set(software.time, values[i]);
    }
    for (std::size_t i = 0; i < samples.size(); ++i) {
      out[i] = std::log(predicted(samples[i], software));
    }
  });
}

Software solved(const TrainingClass& one, const Solution& solution) {
  Software software = one.software;
  for (std::size_t i = 0; i < one.constants.size(); ++i) {
    one.constants[i].set(software.time, solution.values[i]);
  }
  return software;
}

TrainingErrors errors_of(std::string group, std::string part, const std::vector<double>& ratios) {
  TrainingErrors errors{std::move(group), std::move(part), ratios.size()};
  if (ratios.empty()) return errors;
  std::vector<double> sizes;
  for (const double ratio : ratios) {
    sizes.push_back(std::abs(std::log(ratio)));
    errors.bias += std::log(ratio) / static_cast<double>(ratios.size());
  }
  std::sort(sizes.begin(), sizes.end());
  errors.median = nearest_rank(sizes, 50);
  errors.p80 = nearest_rank(sizes, 80);
  errors.worst = sizes.back();
  return errors;
}

std::vector<TrainingErrors> errors_by_part(const TrainingFit& fit) {
  std::map<std::pair<std::string, std::string>, std::vector<double>> groups;
  for (std::size_t i = 0; i < fit.samples.size(); ++i) {
    groups[{fit.samples[i].part, fit.samples[i].gpu}].push_back(fit.ratios[i]);
  }
  std::vector<TrainingErrors> errors;
  for (const auto& [key, ratios] : groups) {
    errors.push_back(errors_of(key.second, key.first, ratios));
  }
  return errors;
}

/// Each group of fitted samples predicted with constants from the others.
void predict_left_out(const TrainingClass& one, const std::vector<TrainingSample>& fitted,
                      TrainingFit& fit) {
  const auto groups = groups_of(one, fitted);
  const std::set<std::size_t> names(groups.begin(), groups.end());
  if (names.size() < 2) return;
  std::vector<double> all;
  for (const std::size_t out : names) {
    std::vector<TrainingSample> others, left;
    for (std::size_t i = 0; i < fitted.size(); ++i) {
      (groups[i] == out ? left : others).push_back(fitted[i]);
    }
    const Solution solution = solve(one, others);
    std::vector<double> ratios;
    for (auto& sample : left) ratios.push_back(predicted(sample, solved(one, solution)));
    all.insert(all.end(), ratios.begin(), ratios.end());
    fit.left_out.push_back(errors_of(group_of(one, left.front()), "left out", ratios));
    for (std::size_t i = 0; i < fit.constants.size(); ++i) {
      fit.constants[i].low = std::min(fit.constants[i].low, solution.values[i]);
      fit.constants[i].high = std::max(fit.constants[i].high, solution.values[i]);
    }
  }
  fit.left_out.push_back(errors_of("all", "left out", all));
  fit.software.time.relative_error = fit.left_out.back().p80;
}

}  // namespace

TrainingFit fit_training(const TrainingClass& one, const std::vector<TrainingSample>& samples,
                         LeaveOut leave_out) {
  TrainingFit fit;
  std::vector<TrainingSample> fitted;
  for (const TrainingSample& sample : samples) {
    const bool net = std::holds_alternative<models::ConvNet>(sample.question.network);
    if (sample.software != one.software.id || net) continue;  // nets have a fit of their own
    fit.samples.push_back(sample);
    if (sample.part == "fit") fitted.push_back(sample);
  }
  const Solution solution = solve(one, fitted);
  fit.software = solved(one, solution);
  for (std::size_t i = 0; i < one.constants.size(); ++i) {
    const double value = solution.values[i];
    fit.constants.push_back({one.constants[i].key, value, solution.standard_errors[i],
                             solution.at_bound[i], value, value});
  }
  for (auto& sample : fit.samples) fit.ratios.push_back(predicted(sample, fit.software));
  fit.errors = errors_by_part(fit);
  if (leave_out == LeaveOut::groups) predict_left_out(one, fitted, fit);
  return fit;
}

std::vector<TrainingFit> fit_training_classes(const std::vector<TrainingSample>& samples) {
  std::vector<TrainingFit> fits;
  for (const TrainingClass& one : training_classes()) fits.push_back(fit_training(one, samples));
  return fits;
}

}  // namespace gpucap::calibrate

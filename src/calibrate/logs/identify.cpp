#include "gpucap/calibrate/identify.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <Eigen/Dense>

namespace gpucap::calibrate {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double least_scatter = 0.02;
constexpr double first_scatter = 0.05;  // of the first pass, before residuals are known
constexpr double slope_over = 0.25;     // prior deviations
constexpr double reach = 1;             // prior deviations that one pass may go
constexpr double settled = 0.01;        // prior deviations
constexpr double still_unknown = 0.7;   // of the prior deviation
constexpr double huber = 1.345;         // as least_squares has it
constexpr double median_to_deviation = 1.4826;
constexpr int most_passes = 12;
constexpr int most_halvings = 3;

class Hunt {
 public:
  Hunt(const std::vector<Prior>& priors, const Observations& seen, const LogModel& model,
       std::vector<std::size_t> free, std::optional<double> scatter)
      : priors_(priors),
        seen_(seen),
        model_(model),
        free_(std::move(free)),
        at_(VectorXd::Zero(static_cast<Index>(free_.size()))),
        scatter_(scatter.value_or(first_scatter)),
        scatter_known_(scatter.has_value()) {}

  void run() {
    now_ = predicted(at_);
    for (int pass = 0; pass < most_passes && !free_.empty(); ++pass) {
      measure_slopes();
      if (!advance()) break;
    }
    measure_slopes();
    rescale();
  }

  /// Deviations of the free numbers from the curvature of residuals and priors.
  [[nodiscard]] VectorXd deviations() const {
    VectorXd weight = weights();
    const VectorXd residual = residuals(now_);
    for (Index i = 0; i < weight.size(); ++i) {
      const double size = std::fabs(residual[i]) / scatter_;
      if (size > huber) weight[i] *= huber / size;
    }
    MatrixXd information =
        slopes_.transpose() * weight.asDiagonal() * slopes_ / (scatter_ * scatter_);
    for (Index k = 0; k < information.rows(); ++k) {
      information(k, k) += 1 / std::pow(prior(k).deviation, 2);
    }
    return information.inverse().diagonal().cwiseSqrt();
  }

  [[nodiscard]] const VectorXd& at() const { return at_; }
  [[nodiscard]] double scatter() const { return scatter_; }

 private:
  [[nodiscard]] const Prior& prior(Index k) const {
    return priors_[free_[static_cast<std::size_t>(k)]];
  }
  [[nodiscard]] Index count() const { return static_cast<Index>(free_.size()); }
  [[nodiscard]] Eigen::Map<const VectorXd> weights() const {
    return {seen_.weight.data(), static_cast<Index>(seen_.weight.size())};
  }
  [[nodiscard]] double bounded(Index k, double log_factor) const {
    return std::clamp(log_factor, std::log(prior(k).low), std::log(prior(k).high));
  }

  [[nodiscard]] VectorXd predicted(const VectorXd& at) const {
    std::vector<double> factors(priors_.size(), 1.0);
    for (Index k = 0; k < count(); ++k)
      factors[free_[static_cast<std::size_t>(k)]] = std::exp(at[k]);
    VectorXd out(static_cast<Index>(seen_.log_measured.size()));
    model_(factors, {out.data(), seen_.log_measured.size()});
    return out;
  }

  void measure_slopes() {
    slopes_.resize(now_.size(), count());
    for (Index k = 0; k < count(); ++k) {
      VectorXd up = at_, down = at_;
      up[k] = bounded(k, at_[k] + slope_over * prior(k).deviation);
      down[k] = bounded(k, at_[k] - slope_over * prior(k).deviation);
      slopes_.col(k) = (predicted(up) - predicted(down)) / (up[k] - down[k]);
    }
  }

  [[nodiscard]] VectorXd residuals(const VectorXd& log_predicted) const {
    return log_predicted - Eigen::Map<const VectorXd>(seen_.log_measured.data(), now_.size());
  }

  /// Deviation of the residuals, what lies far out cut down to where Huber's weights begin. With
  /// fewer numbers residuals are misfit, not scatter: that of all numbers stays.
  void rescale() {
    if (scatter_known_) return;
    const VectorXd size = residuals(now_).cwiseAbs();
    std::vector<double> sorted(size.begin(), size.end());
    std::sort(sorted.begin(), sorted.end());
    const double middle = median_to_deviation * sorted[sorted.size() / 2];
    const double most = huber * std::max(middle, least_scatter);
    const double all = weights().sum();
    const double left = std::max(all - static_cast<double>(count()), all / 2);
    scatter_ =
        std::max(least_scatter, std::sqrt(weights().dot(size.cwiseMin(most).cwiseAbs2()) / left));
  }

  /// Where least squares ends on the straight line through where the search stands.
  [[nodiscard]] VectorXd proposed() const {
    std::vector<Unknown> unknowns;
    Observations all = seen_;
    for (Index k = 0; k < count(); ++k) {
      const double room = reach * prior(k).deviation;
      unknowns.push_back({std::exp(at_[k]), std::exp(bounded(k, at_[k] - room)),
                          std::exp(bounded(k, at_[k] + room))});
      all.log_measured.push_back(0);
      all.weight.push_back(std::pow(scatter_ / prior(k).deviation, 2));
      all.cluster.push_back(seen_.log_measured.size() + static_cast<std::size_t>(k));
    }
    const auto line = [&](std::span<const double> values, std::span<double> out) {
      VectorXd at(count());
      for (Index k = 0; k < count(); ++k) at[k] = std::log(values[static_cast<std::size_t>(k)]);
      const VectorXd seen = now_ + slopes_ * (at - at_);
      std::copy(seen.begin(), seen.end(), out.begin());
      std::copy(at.begin(), at.end(), out.begin() + seen.size());
    };
    const Solution solution = least_squares(unknowns, all, line);
    VectorXd next(count());
    for (Index k = 0; k < count(); ++k)
      next[k] = std::log(solution.values[static_cast<std::size_t>(k)]);
    return next;
  }

  /// Huber's loss of the residuals, and the squares of priors.
  [[nodiscard]] double cost(const VectorXd& at, const VectorXd& log_predicted) const {
    const VectorXd residual = residuals(log_predicted);
    double sum = 0;
    for (Index i = 0; i < residual.size(); ++i) {
      const double size = std::fabs(residual[i]) / scatter_;
      sum += weights()[i] * (size < huber ? size * size : huber * (2 * size - huber));
    }
    for (Index k = 0; k < count(); ++k) sum += std::pow(at[k] / prior(k).deviation, 2);
    return sum;
  }

  /// One pass; false when it moves nothing that matters.
  bool advance() {
    VectorXd step = proposed() - at_;
    for (int halving = 0; halving <= most_halvings; ++halving, step /= 2) {
      const VectorXd next = at_ + step;
      const VectorXd then = predicted(next);
      if (cost(next, then) > cost(at_, now_)) continue;
      at_ = next;
      now_ = then;
      rescale();
      double moved = 0;
      for (Index k = 0; k < count(); ++k) {
        moved = std::max(moved, std::fabs(step[k]) / prior(k).deviation);
      }
      return moved > settled;
    }
    return false;
  }

  const std::vector<Prior>& priors_;
  const Observations& seen_;
  const LogModel& model_;
  std::vector<std::size_t> free_;
  VectorXd at_, now_;
  MatrixXd slopes_;
  double scatter_;
  bool scatter_known_;
};

}  // namespace

Identified identify(const std::vector<Prior>& priors, const Observations& observations,
                    const LogModel& model) {
  Identified found;
  found.factors.assign(priors.size(), 1.0);
  found.identified.assign(priors.size(), false);
  for (const Prior& prior : priors) found.deviations.push_back(prior.deviation);
  std::vector<std::size_t> free(priors.size());
  std::iota(free.begin(), free.end(), std::size_t{0});
  std::optional<double> scatter;
  while (!free.empty()) {
    Hunt hunt(priors, observations, model, free, scatter);
    hunt.run();
    scatter = hunt.scatter();
    found.scatter = *scatter;
    const VectorXd deviations = hunt.deviations();
    VectorXd share = deviations;
    for (std::size_t k = 0; k < free.size(); ++k) {
      found.deviations[free[k]] = deviations[static_cast<Index>(k)];
      share[static_cast<Index>(k)] /= priors[free[k]].deviation;
    }
    Index worst = 0;
    if (share.maxCoeff(&worst) <= still_unknown) {
      for (std::size_t k = 0; k < free.size(); ++k) {
        found.factors[free[k]] = std::exp(hunt.at()[static_cast<Index>(k)]);
        found.identified[free[k]] = true;
      }
      return found;
    }
    free.erase(free.begin() + worst);
  }
  return found;
}

}  // namespace gpucap::calibrate

#include "gpucap/calibrate/least_squares.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

namespace gpucap::calibrate {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Of the method, not of any card. Huber's constant keeps 95 % of the efficiency of plain least
// squares when errors are normal; 1.4826 turns a median deviation into a standard deviation.
constexpr double huber = 1.345;
constexpr double median_to_deviation = 1.4826;
constexpr double smallest_scale = 1e-4;  // exact data have no scatter to scale by
constexpr double step = 1e-5;            // of the central differences, in ln(value)
constexpr double settled = 1e-9;         // change of ln(value) at which the search ends
constexpr int most_reweightings = 60;
constexpr int most_steps = 60;

class Search {
 public:
  Search(const std::vector<Unknown>& unknowns, const Observations& seen, const LogModel& model)
      : seen_(seen),
        model_(model),
        at_(static_cast<Eigen::Index>(unknowns.size())),
        low_(at_.size()),
        high_(at_.size()) {
    for (Eigen::Index i = 0; i < at_.size(); ++i) {
      const Unknown& unknown = unknowns[static_cast<std::size_t>(i)];
      low_[i] = std::log(unknown.low);
      high_[i] = std::log(unknown.high);
      at_[i] = std::clamp(std::log(unknown.start), low_[i], high_[i]);
    }
  }

  void run() {
    for (int pass = 0; pass < most_reweightings; ++pass) {
      reweight();
      const VectorXd before = at_;
      descend();
      if ((at_ - before).cwiseAbs().maxCoeff() < settled) break;
    }
    reweight();
  }

  [[nodiscard]] Solution solution() const;
  [[nodiscard]] MatrixXd jacobian() const;

 private:
  [[nodiscard]] Eigen::Index count() const {
    return static_cast<Eigen::Index>(seen_.log_measured.size());
  }
  [[nodiscard]] VectorXd residuals(const VectorXd& at) const;
  [[nodiscard]] double cost(const VectorXd& residual) const {
    return weight_.dot(residual.cwiseAbs2());
  }
  [[nodiscard]] bool pinned(Eigen::Index i, double gradient) const {
    return (at_[i] <= low_[i] && gradient > 0) || (at_[i] >= high_[i] && gradient < 0);
  }
  void reweight();
  void descend();
  bool improve(const MatrixXd& normal, const VectorXd& gradient, double& damping, double& now);

  const Observations& seen_;
  const LogModel& model_;
  VectorXd at_, low_, high_;
  VectorXd weight_;
};

VectorXd Search::residuals(const VectorXd& at) const {
  std::vector<double> values(static_cast<std::size_t>(at.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::exp(at[static_cast<Eigen::Index>(i)]);
  }
  VectorXd out(count());
  model_(values, {out.data(), static_cast<std::size_t>(out.size())});
  return out - Eigen::Map<const VectorXd>(seen_.log_measured.data(), count());
}

MatrixXd Search::jacobian() const {
  MatrixXd slope(count(), at_.size());
  for (Eigen::Index i = 0; i < at_.size(); ++i) {
    VectorXd up = at_, down = at_;
    up[i] += step;
    down[i] -= step;
    slope.col(i) = (residuals(up) - residuals(down)) / (2 * step);
  }
  return slope;
}

/// Weights of the samples times Huber's for the residuals where the search stands.
void Search::reweight() {
  const VectorXd residual = residuals(at_);
  weight_ = Eigen::Map<const VectorXd>(seen_.weight.data(), count());
  std::vector<double> size(residual.data(), residual.data() + residual.size());
  for (std::size_t i = 0; i < size.size(); ++i) {
    size[i] = std::fabs(size[i]) * std::sqrt(seen_.weight[i]);
  }
  std::vector<double> sorted = size;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  const double scale = std::max(median_to_deviation * *middle, smallest_scale);
  for (std::size_t i = 0; i < size.size(); ++i) {
    const double ratio = size[i] / (huber * scale);
    if (ratio > 1) weight_[static_cast<Eigen::Index>(i)] /= ratio;
  }
}

/// Minimises the weighted squares with the weights held.
void Search::descend() {
  double damping = 1e-3;
  double now = cost(residuals(at_));
  for (int i = 0; i < most_steps; ++i) {
    const MatrixXd slope = jacobian();
    const VectorXd gradient = slope.transpose() * weight_.cwiseProduct(residuals(at_));
    const MatrixXd normal = slope.transpose() * weight_.asDiagonal() * slope;
    if (!improve(normal, gradient, damping, now)) return;
  }
}

/// Damps until a step makes the sum smaller; false when none does or the step is negligible.
bool Search::improve(const MatrixXd& normal, const VectorXd& gradient, double& damping,
                     double& now) {
  constexpr double hopeless = 1e10;
  for (; damping < hopeless; damping *= 4) {
    MatrixXd damped = normal;
    VectorXd pull = gradient;
    for (Eigen::Index i = 0; i < at_.size(); ++i) {
      damped(i, i) += damping * (normal(i, i) + 1e-12);
      if (!pinned(i, gradient[i])) continue;
      damped.row(i).setZero();
      damped.col(i).setZero();
      damped(i, i) = 1;
      pull[i] = 0;
    }
    const VectorXd next = (at_ - damped.ldlt().solve(pull)).cwiseMax(low_).cwiseMin(high_);
    const double then = cost(residuals(next));
    if (!(then < now)) continue;
    const double moved = (next - at_).cwiseAbs().maxCoeff();
    at_ = next;
    now = then;
    damping = std::max(damping / 10, 1e-9);
    return moved > settled;
  }
  return false;
}

/// Inverse of the curvature, with rows and columns of zeros for what is not free.
MatrixXd inverse(const MatrixXd& normal, const std::vector<bool>& fixed) {
  MatrixXd curved = normal;
  for (Eigen::Index i = 0; i < normal.rows(); ++i) {
    if (!fixed[static_cast<std::size_t>(i)]) continue;
    curved.row(i).setZero();
    curved.col(i).setZero();
    curved(i, i) = 1;
  }
  MatrixXd result = curved.ldlt().solve(MatrixXd::Identity(normal.rows(), normal.cols()));
  for (Eigen::Index i = 0; i < normal.rows(); ++i) {
    if (fixed[static_cast<std::size_t>(i)]) result(i, i) = 0;
  }
  return result;
}

Solution Search::solution() const {
  const MatrixXd slope = jacobian();
  const VectorXd residual = residuals(at_);
  const MatrixXd normal = slope.transpose() * weight_.asDiagonal() * slope;
  Solution out;
  for (Eigen::Index i = 0; i < at_.size(); ++i) {
    out.values.push_back(std::exp(at_[i]));
    out.at_bound.push_back(at_[i] <= low_[i] || at_[i] >= high_[i]);
  }
  std::vector<bool> fixed = out.at_bound;
  for (Eigen::Index i = 0; i < at_.size(); ++i) {
    if (normal(i, i) == 0) fixed[static_cast<std::size_t>(i)] = true;
  }
  const std::size_t last =
      seen_.cluster.empty() ? 0 : *std::max_element(seen_.cluster.begin(), seen_.cluster.end());
  MatrixXd score = MatrixXd::Zero(static_cast<Eigen::Index>(last) + 1, at_.size());
  std::vector<bool> present(last + 1);
  for (Eigen::Index i = 0; i < count(); ++i) {
    const std::size_t cluster = seen_.cluster[static_cast<std::size_t>(i)];
    score.row(static_cast<Eigen::Index>(cluster)) += weight_[i] * residual[i] * slope.row(i);
    present[cluster] = true;
  }
  const auto clusters = static_cast<double>(std::count(present.begin(), present.end(), true));
  const double small_sample = clusters > 1 ? clusters / (clusters - 1) : 1;
  const MatrixXd bread = inverse(normal, fixed);
  const MatrixXd covariance = small_sample * bread * (score.transpose() * score) * bread;
  for (Eigen::Index i = 0; i < at_.size(); ++i) {
    const double deviation = std::sqrt(std::max(0.0, covariance(i, i)));
    out.standard_errors.push_back(deviation * out.values[static_cast<std::size_t>(i)]);
    for (Eigen::Index k = 0; k < i; ++k) {
      const double product = deviation * std::sqrt(std::max(0.0, covariance(k, k)));
      out.correlation.push_back(product > 0 ? covariance(i, k) / product : 0);
    }
  }
  return out;
}

}  // namespace

Solution least_squares(const std::vector<Unknown>& unknowns, const Observations& observations,
                       const LogModel& model) {
  if (unknowns.empty() || observations.log_measured.empty()) return {};
  Search search(unknowns, observations, model);
  search.run();
  return search.solution();
}

std::vector<bool> depends(const std::vector<Unknown>& unknowns, std::size_t observations,
                          const LogModel& model) {
  if (unknowns.empty()) return {};
  const Observations none{std::vector<double>(observations), std::vector<double>(observations, 1.0),
                          std::vector<std::size_t>(observations)};
  const MatrixXd slope = Search(unknowns, none, model).jacobian();
  std::vector<bool> result;
  for (Eigen::Index i = 0; i < slope.cols(); ++i) {
    result.push_back(slope.col(i).cwiseAbs().maxCoeff() > 0);
  }
  return result;
}

}  // namespace gpucap::calibrate

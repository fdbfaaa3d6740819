#include "draw_coefficients.hpp"

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

namespace gpucap::perf {
namespace {

Eigen::MatrixXd covariance_of(const FitQuality& quality) {
  const auto n = static_cast<Eigen::Index>(quality.parameters.size());
  Eigen::VectorXd errors(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    errors[i] = quality.standard_errors.at(quality.parameters[static_cast<std::size_t>(i)]);
  }
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(n, n);
  std::size_t next = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      covariance(i, j) = covariance(j, i) = quality.correlation[next++] * errors[i] * errors[j];
    }
    covariance(i, i) = errors[i] * errors[i];
  }
  return covariance;
}

}  // namespace

std::vector<double> coefficient_deviations(const FitQuality& quality, const std::string& name,
                                           const Draw& draw) {
  const auto n = static_cast<Eigen::Index>(quality.parameters.size());
  if (n == 0) return {};
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance_of(quality));
  Eigen::VectorXd steps(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double variance = std::max(0.0, solver.eigenvalues()[i]);
    steps[i] = std::sqrt(variance) * draw.normal(fmt::format("coefficient {} {}", name, i));
  }
  const Eigen::VectorXd moved = solver.eigenvectors() * steps;
  return {moved.begin(), moved.end()};
}

}  // namespace gpucap::perf

#include "reference.hpp"

#include <algorithm>
#include <cmath>

namespace gpucap::measure::cpu {
namespace {

/// About `wanted` of `count` places, the first and the last among them.
std::vector<std::int64_t> spread(std::int64_t count, std::int64_t wanted) {
  std::vector<std::int64_t> places;
  const std::int64_t step = std::max<std::int64_t>(1, count / wanted);
  for (std::int64_t i = 0; i < count; i += step) places.push_back(i);
  if (places.back() != count - 1) places.push_back(count - 1);
  return places;
}

double at(const std::vector<float>& numbers, std::int64_t place) {
  return static_cast<double>(numbers[static_cast<std::size_t>(place)]);
}

/// Attention of one query over `seen` tokens, one number of the output per dimension.
std::vector<double> attended(const Heads& heads, const std::vector<float>& queries,
                             std::int64_t query_at, const std::vector<float>& keys,
                             const std::vector<float>& values, std::int64_t kv_head,
                             std::int64_t seen) {
  const std::int64_t stride = heads.kv_heads * heads.dim;
  std::vector<double> weights;
  double largest = -1e300, sum = 0;
  for (std::int64_t token = 0; token < seen; ++token) {
    double score = 0;
    for (std::int64_t i = 0; i < heads.dim; ++i) {
      score += at(queries, query_at + i) * at(keys, token * stride + kv_head * heads.dim + i);
    }
    weights.push_back(score / std::sqrt(static_cast<double>(heads.dim)));
    largest = std::max(largest, weights.back());
  }
  for (double& weight : weights) sum += weight = std::exp(weight - largest);
  std::vector<double> result(static_cast<std::size_t>(heads.dim));
  for (std::int64_t token = 0; token < seen; ++token) {
    for (std::int64_t i = 0; i < heads.dim; ++i) {
      result[static_cast<std::size_t>(i)] += weights[static_cast<std::size_t>(token)] / sum *
                                             at(values, token * stride + kv_head * heads.dim + i);
    }
  }
  return result;
}

}  // namespace

void Deviation::add(double is, double should) {
  largest_ = std::max(largest_, std::fabs(is - should));
  scale_ = std::max(scale_, std::fabs(should));
}

double product_deviation(const std::vector<float>& in, const std::vector<float>& weights,
                         const std::vector<float>& out, std::int64_t m, std::int64_t n,
                         std::int64_t k) {
  Deviation deviation;
  for (const std::int64_t row : spread(m, 8)) {
    for (const std::int64_t column : spread(n, 16)) {
      double sum = 0;
      for (std::int64_t i = 0; i < k; ++i) sum += at(in, row * k + i) * at(weights, column * k + i);
      deviation.add(at(out, row * n + column), sum);
    }
  }
  return deviation.relative();
}

double prefill_deviation(const Heads& heads, const std::vector<float>& queries,
                         const std::vector<float>& keys, const std::vector<float>& values,
                         const std::vector<float>& out, std::int64_t tokens) {
  Deviation deviation;
  for (const std::int64_t token : spread(tokens, 4)) {
    for (const std::int64_t head : spread(heads.heads, 3)) {
      const std::int64_t place = (token * heads.heads + head) * heads.dim;
      const auto should = attended(heads, queries, place, keys, values,
                                   head / (heads.heads / heads.kv_heads), token + 1);
      for (std::int64_t i = 0; i < heads.dim; ++i) {
        deviation.add(at(out, place + i), should[static_cast<std::size_t>(i)]);
      }
    }
  }
  return deviation.relative();
}

double decode_deviation(const Heads& heads, const std::vector<float>& queries,
                        const std::vector<float>& keys, const std::vector<float>& values,
                        const std::vector<float>& out, std::int64_t context) {
  Deviation deviation;
  for (const std::int64_t head : spread(heads.heads, 4)) {
    const auto should = attended(heads, queries, head * heads.dim, keys, values,
                                 head / (heads.heads / heads.kv_heads), context);
    for (std::int64_t i = 0; i < heads.dim; ++i) {
      deviation.add(at(out, head * heads.dim + i), should[static_cast<std::size_t>(i)]);
    }
  }
  return deviation.relative();
}

}  // namespace gpucap::measure::cpu

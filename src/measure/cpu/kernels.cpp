#include "kernels.hpp"

#include <cmath>

#include "parallel.hpp"
#include <Eigen/Core>

namespace gpucap::measure::cpu {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Stride = Eigen::OuterStride<>;
using Rows = Eigen::Map<Matrix, 0, Stride>;
using ConstRows = Eigen::Map<const Matrix, 0, Stride>;
using Columns = Eigen::Map<Eigen::MatrixXf>;
using ConstColumns = Eigen::Map<const Eigen::MatrixXf>;
using Row = Eigen::Map<Eigen::ArrayXf>;
using ConstRow = Eigen::Map<const Eigen::ArrayXf>;

constexpr std::int64_t grain = 64;  // numbers: a thread's share begins at a cache line

/// Each row of scores becomes a distribution.
template <class Scores>
void soften(Scores& scores) {
  for (Eigen::Index row = 0; row < scores.rows(); ++row) {
    auto line = scores.row(row).array();
    line = (line - line.maxCoeff()).exp();
    line /= line.sum();
  }
}

}  // namespace

void product(const float* in, const float* weights, float* out, std::int64_t m, std::int64_t n,
             std::int64_t k, int threads) {
  const std::int64_t rows = padded_rows(m);
  const ConstColumns inputs(in, k, rows);
  parallel_ranges(threads, n, grain, [&](std::int64_t begin, std::int64_t end) {
    const ConstRows part(weights + begin * k, end - begin, k, Stride(k));
    Eigen::Map<Eigen::MatrixXf, 0, Stride> result(out + begin, end - begin, rows, Stride(n));
    result.noalias() = part * inputs;
  });
}

void prefill_attention(const Heads& heads, const float* queries, const float* keys,
                       const float* values, float* out, std::int64_t tokens, int threads) {
  constexpr std::int64_t block = 64;
  const std::int64_t blocks = (tokens + block - 1) / block, dim = heads.dim;
  const std::int64_t q_stride = heads.heads * dim, kv_stride = heads.kv_heads * dim;
  const float scale = 1 / std::sqrt(static_cast<float>(dim));
  parallel(threads, heads.heads * blocks, [&](std::int64_t task) {
    const std::int64_t head = task % heads.heads;
    const std::int64_t first = (blocks - 1 - task / heads.heads) * block;  // the longest first
    const std::int64_t count = std::min(block, tokens - first), seen = first + count;
    const std::int64_t kv_head = head / (heads.heads / heads.kv_heads);
    const ConstRows q(queries + first * q_stride + head * dim, count, dim, Stride(q_stride));
    const ConstRows k(keys + kv_head * dim, seen, dim, Stride(kv_stride));
    const ConstRows v(values + kv_head * dim, seen, dim, Stride(kv_stride));
    Matrix scores = (q * k.transpose()) * scale;
    for (std::int64_t row = 0; row < count; ++row) {
      scores.row(row).tail(seen - first - row - 1).setConstant(-1e30f);
    }
    soften(scores);
    Rows(out + first * q_stride + head * dim, count, dim, Stride(q_stride)).noalias() = scores * v;
  });
}

PagedCache make_cache(const Heads& heads, std::int64_t sequences, std::int64_t tokens) {
  PagedCache cache;
  cache.pages_per_sequence = (tokens + page_tokens - 1) / page_tokens;
  const std::int64_t pages = sequences * cache.pages_per_sequence;
  const auto numbers = static_cast<std::size_t>(pages * heads.kv_heads * page_tokens * heads.dim);
  cache.keys.resize(numbers);
  cache.values.resize(numbers);
  // As an engine that has served for a while: sequences' pages lie between each other.
  for (std::int64_t sequence = 0; sequence < sequences; ++sequence) {
    for (std::int64_t page = 0; page < cache.pages_per_sequence; ++page) {
      cache.table.push_back(page * sequences + sequence);
    }
  }
  return cache;
}

void write_token(const Heads& heads, PagedCache& cache, std::int64_t sequence,
                 std::int64_t position, const float* keys, const float* values) {
  const std::int64_t page = cache.table[static_cast<std::size_t>(
      sequence * cache.pages_per_sequence + position / page_tokens)];
  for (std::int64_t head = 0; head < heads.kv_heads; ++head) {
    const std::int64_t to =
        ((page * heads.kv_heads + head) * page_tokens + position % page_tokens) * heads.dim;
    std::copy_n(keys + head * heads.dim, heads.dim, cache.keys.data() + to);
    std::copy_n(values + head * heads.dim, heads.dim, cache.values.data() + to);
  }
}

void decode_attention(const Heads& heads, const float* queries, const PagedCache& cache,
                      std::int64_t sequences, std::int64_t context, float* out, int threads) {
  const std::int64_t group = heads.heads / heads.kv_heads, dim = heads.dim;
  const float scale = 1 / std::sqrt(static_cast<float>(dim));
  parallel(threads, sequences * heads.kv_heads, [&](std::int64_t task) {
    const std::int64_t sequence = task / heads.kv_heads, kv_head = task % heads.kv_heads;
    const std::int64_t* pages = cache.table.data() + sequence * cache.pages_per_sequence;
    const std::int64_t offset = (sequence * heads.heads + kv_head * group) * dim;
    const ConstRows q(queries + offset, group, dim, Stride(dim));
    const auto page_of = [&](const std::vector<float>& numbers, std::int64_t first) {
      const std::int64_t page = pages[first / page_tokens];
      return ConstRows(numbers.data() + (page * heads.kv_heads + kv_head) * page_tokens * dim,
                       std::min(page_tokens, context - first), dim, Stride(dim));
    };
    Matrix scores(group, context);
    for (std::int64_t first = 0; first < context; first += page_tokens) {
      const auto keys = page_of(cache.keys, first);
      scores.middleCols(first, keys.rows()).noalias() = (q * scale) * keys.transpose();
    }
    soften(scores);
    Matrix sum = Matrix::Zero(group, dim);
    for (std::int64_t first = 0; first < context; first += page_tokens) {
      const auto values = page_of(cache.values, first);
      sum.noalias() += scores.middleCols(first, values.rows()) * values;
    }
    Rows(out + offset, group, dim, Stride(dim)) = sum;
  });
}

void rms_norm(const float* in, float* residual, const float* gain, float* out, std::int64_t tokens,
              std::int64_t width, int threads) {
  constexpr float epsilon = 1e-5f;
  parallel_ranges(threads, tokens, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t token = begin; token < end; ++token) {
      Row kept(residual + token * width, width);
      kept += ConstRow(in + token * width, width);
      const float mean = kept.square().sum() / static_cast<float>(width);
      Row(out + token * width, width) = kept * ConstRow(gain, width) / std::sqrt(mean + epsilon);
    }
  });
}

void rotate(float* vectors, const std::int64_t* positions, std::int64_t tokens, std::int64_t heads,
            std::int64_t dim, std::int64_t stride, int threads) {
  const std::int64_t half = dim / 2;
  Eigen::ArrayXf speed(half);
  for (std::int64_t i = 0; i < half; ++i) {
    speed[i] = std::pow(10000.f, -2.f * static_cast<float>(i) / static_cast<float>(dim));
  }
  parallel_ranges(threads, tokens, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t token = begin; token < end; ++token) {
      const Eigen::ArrayXf angle = speed * static_cast<float>(positions[token]);
      const Eigen::ArrayXf cosine = angle.cos(), sine = angle.sin();
      for (std::int64_t head = 0; head < heads; ++head) {
        Row low(vectors + token * stride + head * dim, half);
        Row high(vectors + token * stride + head * dim + half, half);
        const Eigen::ArrayXf turned = low * cosine - high * sine;
        high = high * cosine + low * sine;
        low = turned;
      }
    }
  });
}

void silu_multiply(const float* in, float* out, std::int64_t tokens, std::int64_t width,
                   int threads) {
  parallel_ranges(threads, tokens, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t token = begin; token < end; ++token) {
      const ConstRow gate(in + token * 2 * width, width);
      const ConstRow up(in + (token * 2 + 1) * width, width);
      Row(out + token * width, width) = gate / (1 + (-gate).exp()) * up;
    }
  });
}

void copy(const float* in, float* out, std::int64_t count, int threads) {
  parallel_ranges(threads, count, grain, [&](std::int64_t begin, std::int64_t end) {
    Row(out + begin, end - begin) = ConstRow(in + begin, end - begin);
  });
}

void triad(const float* in, const float* third, float* out, std::int64_t count, int threads) {
  constexpr float scale = 3;
  parallel_ranges(threads, count, grain, [&](std::int64_t begin, std::int64_t end) {
    Row(out + begin, end - begin) =
        ConstRow(in + begin, end - begin) + scale * ConstRow(third + begin, end - begin);
  });
}

void nothing(int threads) {
  parallel(threads, threads, [](std::int64_t) {});
}

}  // namespace gpucap::measure::cpu

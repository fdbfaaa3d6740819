#include <cmath>

#include "kernels.hpp"
#include "operands.hpp"
#include "reference.hpp"

namespace gpucap::measure::cpu {
namespace {

std::unique_ptr<Task> norm(const Setup& setup, const Pass& work) {
  struct Set {
    Numbers in, before, residual, gain, out;
  };
  const std::int64_t tokens = work.tokens, width = work.width;
  const auto sets =
      sets_of(4 * number_bytes * static_cast<double>(tokens * width), setup.cache, [&] {
        Set set{random_numbers(tokens * width, setup.seed, "in"),
                random_numbers(tokens * width, setup.seed, "residual"),
                {},
                random_numbers(width, setup.seed, "gain"),
                Numbers(size(tokens * width))};
        set.residual = set.before;
        return set;
      });
  const int team = setup.threads;
  const auto execute = [=](Set& set) {
    rms_norm(set.in.data(), set.residual.data(), set.gain.data(), set.out.data(), tokens, width,
             team);
  };
  const auto judge = [=](Set& set) {
    set.residual = set.before;
    execute(set);
    Deviation deviation;
    for (std::int64_t i = 0; i < tokens * width; i += width) {
      double squares = 0;
      for (std::int64_t k = i; k < i + width; ++k) {
        squares += std::pow(
            static_cast<double>(set.in[size(k)]) + static_cast<double>(set.before[size(k)]), 2);
      }
      const double sum =
          static_cast<double>(set.in[size(i)]) + static_cast<double>(set.before[size(i)]);
      const double rms = std::sqrt(squares / static_cast<double>(width) + 1e-5);
      deviation.add(static_cast<double>(set.out[size(i)]),
                    sum / rms * static_cast<double>(set.gain[0]));
    }
    return deviation.relative();
  };
  return task_of(sets, execute, judge);
}

std::unique_ptr<Task> rope(const Setup& setup, const Pass& work) {
  constexpr std::int64_t dim = 64;
  struct Set {
    Numbers before, vectors;
    std::vector<std::int64_t> positions;
  };
  if (work.width % dim != 0) throw Unavailable("heads of 64 numbers are turned");
  const std::int64_t tokens = work.tokens, width = work.width;
  const auto sets =
      sets_of(2 * number_bytes * static_cast<double>(tokens * width), setup.cache, [&] {
        Set set{random_numbers(tokens * width, setup.seed, "vectors"), {}, {}};
        set.vectors = set.before;
        for (std::int64_t i = 0; i < tokens; ++i) set.positions.push_back(i);
        return set;
      });
  const int team = setup.threads;
  const auto execute = [=](Set& set) {
    rotate(set.vectors.data(), set.positions.data(), tokens, width / dim, dim, width, team);
  };
  const auto judge = [=](Set& set) {
    set.vectors = set.before;
    execute(set);
    Deviation deviation;
    for (std::int64_t token = 0; token < tokens; ++token) {
      for (std::int64_t i = 0; i < dim / 2; ++i) {
        // The angle as the kernel has it: FP32 keeps few digits of large ones.
        const float speed = std::pow(10000.f, -2.f * static_cast<float>(i) / dim);
        const auto angle = static_cast<double>(speed * static_cast<float>(token));
        const auto low = static_cast<double>(set.before[size(token * width + i)]);
        const auto high = static_cast<double>(set.before[size(token * width + i + dim / 2)]);
        deviation.add(static_cast<double>(set.vectors[size(token * width + i)]),
                      low * std::cos(angle) - high * std::sin(angle));
      }
    }
    return deviation.relative();
  };
  return task_of(sets, execute, judge);
}

std::unique_ptr<Task> silu(const Setup& setup, const Pass& work) {
  struct Set {
    Numbers in, out;
  };
  const std::int64_t tokens = work.tokens, width = work.width;
  const auto sets =
      sets_of(3 * number_bytes * static_cast<double>(tokens * width), setup.cache, [&] {
        return Set{random_numbers(2 * tokens * width, setup.seed, "in"),
                   Numbers(size(tokens * width))};
      });
  const int team = setup.threads;
  return task_of(
      sets, [=](Set& set) { silu_multiply(set.in.data(), set.out.data(), tokens, width, team); },
      [=](const Set& set) {
        Deviation deviation;
        for (std::int64_t i = 0; i < tokens * width; ++i) {
          const std::int64_t token = i / width, place = i % width;
          const auto gate = static_cast<double>(set.in[size(token * 2 * width + place)]);
          const auto up = static_cast<double>(set.in[size((token * 2 + 1) * width + place)]);
          deviation.add(static_cast<double>(set.out[size(i)]), gate / (1 + std::exp(-gate)) * up);
        }
        return deviation.relative();
      });
}

}  // namespace

std::unique_ptr<Task> make(const Setup& setup, const Pass& work) {
  switch (work.kind) {
    case Pass::Kind::rms_norm:
      return norm(setup, work);
    case Pass::Kind::rope:
      return rope(setup, work);
    case Pass::Kind::silu_mul:
      break;
  }
  return silu(setup, work);
}

}  // namespace gpucap::measure::cpu

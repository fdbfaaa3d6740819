#include <tuple>

#include "kernels.hpp"
#include "operands.hpp"
#include "reference.hpp"

namespace gpucap::measure::cpu {

std::unique_ptr<Task> make(const Setup& setup, const Stream& work) {
  struct Set {
    Numbers in, third, out;
  };
  const auto count = static_cast<std::int64_t>(work.bytes.base() / number_bytes);
  const bool triad = work.kind == Stream::Kind::triad;
  const auto sets = sets_of(work.bytes.base() * (triad ? 3 : 2), setup.cache, [&] {
    return Set{random_numbers(count, setup.seed, "in"),
               triad ? random_numbers(count, setup.seed, "third") : Numbers{},
               Numbers(size(count))};
  });
  const int team = setup.threads;
  return task_of(
      sets,
      [=](Set& set) {
        if (triad) cpu::triad(set.in.data(), set.third.data(), set.out.data(), count, team);
        if (!triad) cpu::copy(set.in.data(), set.out.data(), count, team);
      },
      [=](const Set& set) {
        Deviation deviation;
        constexpr std::size_t step = 37;  // some of every cache line's numbers, in the long run
        for (std::size_t i = 0; i < set.in.size(); i += step) {
          const double third = triad ? 3.0 * static_cast<double>(set.third[i]) : 0;
          deviation.add(static_cast<double>(set.out[i]), static_cast<double>(set.in[i]) + third);
        }
        return deviation.relative();
      });
}

std::unique_ptr<Task> make(const Setup& setup, const Product& work) {
  struct Set {
    Numbers in, weights, out;
  };
  const auto [m, n, k] = std::tuple{work.m, work.n, work.k};
  const std::int64_t rows = padded_rows(m);
  const double bytes = number_bytes * static_cast<double>(n * k + rows * (n + k));
  const auto sets = sets_of(bytes, setup.cache, [&, n = n, k = k] {
    return Set{random_numbers(rows * k, setup.seed, "in"),
               random_numbers(n * k, setup.seed, "weights"), Numbers(size(rows * n))};
  });
  const int team = setup.threads;
  return task_of(
      sets,
      [=, m = m, n = n, k = k](Set& set) {
        product(set.in.data(), set.weights.data(), set.out.data(), m, n, k, team);
      },
      [m = m, n = n, k = k](const Set& set) {
        return product_deviation(set.in, set.weights, set.out, m, n, k);
      });
}

std::unique_ptr<Task> make(const Setup& setup, const Launch& work) {
  const int team = setup.threads, count = work.kernels;
  CpuTask::Work none;
  none.execute = [=](int) {
    for (int i = 0; i < count; ++i) nothing(team);
  };
  return std::make_unique<CpuTask>(std::move(none));
}

std::unique_ptr<Task> make_task(const measure::Work& work, int threads, double cache_bytes,
                                std::uint64_t seed) {
  const Setup setup{threads, cache_bytes, seed};
  return std::visit(
      [&](const auto& one) -> std::unique_ptr<Task> {
        using Kind = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<Kind, Transfer> || std::is_same_v<Kind, AllReduce>) {
          throw Unavailable("one processor has no other to exchange with");
        } else {
          return make(setup, one);
        }
      },
      work);
}

}  // namespace gpucap::measure::cpu

#include "kernels.hpp"
#include "operands.hpp"
#include "reference.hpp"

namespace gpucap::measure::cpu {
namespace {

std::unique_ptr<Task> prefill(const Setup& setup, const Attention& work) {
  struct Set {
    Numbers queries, keys, values, out;
  };
  if (work.q != work.kv || work.batch != 1) throw Unavailable("only whole prompts, one at a time");
  const Heads heads{work.heads, work.kv_heads, work.head_dim};
  const std::int64_t tokens = work.q, wide = tokens * heads.heads * heads.dim,
                     narrow = tokens * heads.kv_heads * heads.dim;
  const double bytes = number_bytes * static_cast<double>(2 * wide + 2 * narrow);
  const auto sets = sets_of(bytes, setup.cache, [&] {
    return Set{random_numbers(wide, setup.seed, "queries"),
               random_numbers(narrow, setup.seed, "keys"),
               random_numbers(narrow, setup.seed, "values"), Numbers(size(wide))};
  });
  const int team = setup.threads;
  return task_of(
      sets,
      [=](Set& set) {
        prefill_attention(heads, set.queries.data(), set.keys.data(), set.values.data(),
                          set.out.data(), tokens, team);
      },
      [=](const Set& set) {
        return prefill_deviation(heads, set.queries, set.keys, set.values, set.out, tokens);
      });
}

std::unique_ptr<Task> decode(const Setup& setup, const Attention& work) {
  struct Set {
    Numbers queries, keys, values, out;  ///< keys and values of sequence 0, as they were written
    PagedCache cache;
  };
  const Heads heads{work.heads, work.kv_heads, work.head_dim};
  const std::int64_t width = heads.kv_heads * heads.dim, context = work.kv, batch = work.batch;
  const double bytes = number_bytes * 2 * static_cast<double>(batch * context * width);
  const auto sets = sets_of(bytes, setup.cache, [&] {
    Set set{random_numbers(batch * heads.heads * heads.dim, setup.seed, "queries"),
            random_numbers(context * width, setup.seed, "keys"),
            random_numbers(context * width, setup.seed, "values"),
            Numbers(size(batch * heads.heads * heads.dim)), make_cache(heads, batch, context)};
    for (std::int64_t i = 0; i < batch * context; ++i) {
      write_token(heads, set.cache, i / context, i % context, set.keys.data() + i % context * width,
                  set.values.data() + i % context * width);
    }
    return set;
  });
  const int team = setup.threads;
  return task_of(
      sets,
      [=](Set& set) {
        decode_attention(heads, set.queries.data(), set.cache, batch, context, set.out.data(),
                         team);
      },
      [=](const Set& set) {
        return decode_deviation(heads, set.queries, set.keys, set.values, set.out, context);
      });
}

}  // namespace

std::unique_ptr<Task> make(const Setup& setup, const Attention& work) {
  return work.q == 1 ? decode(setup, work) : prefill(setup, work);
}

}  // namespace gpucap::measure::cpu

#include "gpucap/perf/decode_work.hpp"

namespace gpucap::perf {

Work decode_work(const DecodeAttentionCost& cost, const Decodes& decodes) {
  const auto sum = static_cast<double>(decodes.sum_context);
  Work work;
  work.by_cause[static_cast<std::size_t>(cost.cause)] =
      cost.fixed + cost.per_sum_token * sum +
      cost.per_max_token * static_cast<double>(decodes.max_context);
  work.bytes = cost.bytes_per_token * sum * unit::byte;
  work.flops = cost.flops_per_token * sum * unit::flop;
  return work;
}

}  // namespace gpucap::perf

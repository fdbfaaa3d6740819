#pragma once

#include "gpucap/perf/kernel.hpp"

namespace gpucap::perf {

/// One launch that `cost` prices, from decode_attention for as many sequences: time under the
/// launch's cause, arithmetic and traffic.
Work decode_work(const DecodeAttentionCost& cost, const Decodes& decodes);

}  // namespace gpucap::perf

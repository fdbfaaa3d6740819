#pragma once

#include "gpucap/models/transformer.hpp"
#include "gpucap/perf/footprint.hpp"

namespace gpucap::perf {

/// How one rank of a stage cuts its KV cache into blocks; the number of blocks is left at zero.
KvPool kv_layout(const ServingMemoryQuestion& question, const models::Stage& stage);

}  // namespace gpucap::perf

#pragma once

#include "gpucap/scenario/options.hpp"
#include "gpucap/units/quantity.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::validate {

/// The KV pool that an engine logged at its start, or that it did not start.
struct LoggedPool {
  std::string id, source;
  scenario::Options options;            ///< of `gpucap memory serving`
  std::optional<Bytes> visible_memory;  ///< where the log states another size than the spec sheet
  bool fits = true;
  std::optional<std::int64_t> kv_cache_tokens;
  std::optional<Bytes> kv_cache;
  bool fitted = false;  ///< a term of the pool was fitted on it
  std::string remark;
};

/// Reads calibration/validation/kv-pools.json below `data_dir`. Throws InputError.
std::vector<LoggedPool> logged_pools(const std::filesystem::path& data_dir);

}  // namespace gpucap::validate

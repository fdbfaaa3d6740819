#pragma once

#include "gpucap/units/parse.hpp"
#include "gpucap/units/sim_time.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpucap::workload {

/// "1-02:03:04", "02:03:04" or "03:04", the last with an optional fraction: [days-]hours, minutes,
/// seconds as Slurm prints them.
Parsed<SimTime> parse_slurm_duration(std::string_view text);

/// GPUs that a list of trackable resources names, in thousandths, with their types.
struct SlurmGpus {
  std::int64_t thousandths = 0;
  std::vector<std::string> models;  ///< types in the order of the list; empty: untyped
};

/// "cpu=8,gres/gpu=2,gres/gpu:a100=2": the total counts once, with or without the typed entries. A
/// type that is a slice of a card (MIG, "a100_3g.40gb") counts as its compute slices of seven, of
/// four on an A30.
Parsed<SlurmGpus> parse_tres(std::string_view text);

}  // namespace gpucap::workload

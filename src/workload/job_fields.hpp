#pragma once

#include "gpucap/units/parse.hpp"
#include "gpucap/units/sim_time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpucap::workload {

inline constexpr std::int64_t ns_per_second = 1'000'000'000;

/// Latest submit and longest duration, 142 years: their sum is a time too.
inline constexpr SimTime latest_time{4'500'000'000 * ns_per_second};

/// A decimal number as a whole number of its `units`-th parts, exactly; nothing when it is none,
/// has an exponent, is finer or too large. `units` is a power of ten.
std::optional<std::int64_t> decimal_parts(std::string_view text, std::int64_t units);

/// Seconds since the start of the trace, exact to the nanosecond: not negative.
Parsed<SimTime> parse_submit(std::string_view text);

/// Seconds of a duration; negative ones are read too, since such rows are dropped and counted.
Parsed<SimTime> parse_run_time(std::string_view text);

/// GPUs in thousandths: "4" is 4000, "0.46" is 460. Negative ones are read too.
Parsed<std::int64_t> parse_gpus(std::string_view text);

/// A whole number of any sign.
Parsed<std::int64_t> parse_whole(std::string_view text);

/// A whole number of at least 1.
Parsed<std::int64_t> parse_positive(std::string_view text);

/// A finite number above 0, in 1/s.
Parsed<Frequency> parse_iteration_rate(std::string_view text);

/// The names of "A|B"; none of a blank text.
std::vector<std::string> split_models(std::string_view text);

/// GPUs in thousandths as a trace writes them: 460 is "0.46".
std::string gpus_text(std::int64_t thousandths);

}  // namespace gpucap::workload

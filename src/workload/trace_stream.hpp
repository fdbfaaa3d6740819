#pragma once

#include "gpucap/workload/trace.hpp"

#include <memory>

#include "line_reader.hpp"

namespace gpucap::workload {

/// As open_trace() of the same options on the file of these lines.
std::unique_ptr<RequestStream> open_trace(LineReader lines, const TraceOptions& options);

/// When a row arrives in a replay that is so many times as fast. InputError at /rate_scale beyond
/// the time that can be simulated.
SimTime scaled_arrival(SimTime arrival, double rate_scale);

}  // namespace gpucap::workload

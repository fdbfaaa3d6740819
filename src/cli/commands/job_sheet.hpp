#pragma once

#include "gpucap/report/listing.hpp"
#include "gpucap/workload/job_trace.hpp"

namespace gpucap::cli {

/// What `trace inspect` says of training jobs.
report::Listing job_sheet(const workload::JobTrace& trace);

}  // namespace gpucap::cli

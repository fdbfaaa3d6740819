#pragma once

#include "gpucap/calibrate/fit.hpp"
#include "gpucap/hardware/gpu.hpp"

#include <string>
#include <vector>

namespace gpucap::calibrate {

/// What one fit file of a card will hold.
struct FittedFile {
  hardware::Gpu gpu;
  std::vector<FittedPart> parts;    ///< in file order
  std::vector<KernelPlan> kernels;  ///< of an element-wise part
  std::string notes;
};

/// Fits every part of the plan to the rows of its tables. `card_names` are the names that tables
/// give the card, in lower case.
/// `sustained` is the share of the peak that the power cap allows (perf::SustainedRate).
/// `in_force` is the calibration that the card has now, own or transferred, or null: it gives
/// priors that the plan does not state, and eb of decode for mixed launches when decode is not
/// fitted. Throws InputError with the problems of tables and parts.
FittedFile fit_card(const hardware::Gpu& gpu, std::vector<SampleTable>& tables, const FitPlan& plan,
                    const std::vector<Exclusion>& exclusions,
                    const std::vector<std::string>& card_names, double sustained,
                    const perf::Calibration* in_force);

/// The plan of a user's own samples: every part that the tables have launches for, of one fit file
/// ("gemm" or "attention"; empty = the only one there is). Throws InputError: samples of several
/// files and none named, or none at all.
FitPlan plan_for(const std::vector<SampleTable>& tables, const std::string& card,
                 const std::string& what);

/// The parts that a fit file of this kind ("gemm", "attention" or "elementwise") holds. Throws
/// std::out_of_range for other kinds.
const std::vector<std::string>& parts_of(const std::string& what);

}  // namespace gpucap::calibrate

#pragma once

#include "gpucap/calibrate/calibration_file.hpp"
#include "gpucap/calibrate/fit_file.hpp"
#include "gpucap/catalog/gpus.hpp"
#include "gpucap/measure/samples.hpp"

#include <set>
#include <string>

namespace gpucap::calibrate {

/// The card that the samples were taken on, by what its driver says: capability, multiprocessors,
/// memory and name. `asked` names it where that is not enough. Throws InputError: no such card,
/// several, or one that `asked` is not.
const hardware::Gpu& card_of(const measure::DeviceFacts& device, const catalog::GpuBook& gpus,
                             const std::string& asked);

/// A processor as a card: id "cpu", its nominal figures the best that the samples reached. Throws
/// InputError without products or streams.
hardware::Gpu cpu_card(const measure::Samples& samples);

/// What of the samples a calibration takes when nobody says otherwise: on a CUDA card all but
/// attention, because the engine's attention kernels are others than those measured.
std::set<std::string> usual_parts(const measure::Samples& samples);

/// Fits the parts ("gemm", "prefill", "decode", "elementwise") that there are samples for.
/// `in_force` gives priors; null: processors need none. A part with too few samples is left out and
/// named in the notes. Throws InputError.
FittedFile fit_samples(const measure::Samples& samples, const std::string& file,
                       const hardware::Gpu& card, const std::set<std::string>& parts,
                       double sustained, const perf::Calibration* in_force);

/// The parts as a calibration of its own, with what the samples say of the device.
CalibrationFile calibration_of(FittedFile fitted, const measure::Samples& samples);

}  // namespace gpucap::calibrate

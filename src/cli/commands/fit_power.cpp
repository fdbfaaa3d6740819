#include "fit_power.hpp"

#include "gpucap/calibrate/calibration_file.hpp"
#include "gpucap/calibrate/power_log.hpp"
#include "gpucap/catalog/data_dir.hpp"
#include "gpucap/core/file.hpp"
#include "gpucap/report/listing.hpp"
#include "gpucap/scenario/library.hpp"

#include <fmt/format.h>

namespace gpucap::cli {
namespace {

using report::Cell;
using report::Listing;
using report::Shown;

double share_of(Arguments& arguments, const char* option, const char* of) {
  if (!arguments.has(option)) {
    arguments.problem(option,
                      fmt::format("is missing: a log has watts only, and which share of the {} was "
                                  "in use decides what they mean; estimates print it",
                                  of),
                      "missing-option");
    return 0;
  }
  const double share = arguments.value<double>(option, parse_number).value_or(0);
  if (share < 0 || share > 1) {
    arguments.problem(option, "must be a share between 0 and 1", "out-of-range");
  }
  return share;
}

void print(const calibrate::PowerFit& fit, const hardware::Gpu& gpu, Console& console) {
  const double tdp = gpu.tdp.in(unit::W);
  Listing listing{{{"number", "NUMBER"},
                   {"before", "BEFORE", Shown::plain},
                   {"after", "AFTER", Shown::plain},
                   {"unit", "UNIT"},
                   {"standard_error", "STD ERROR", Shown::plain},
                   {"identified", "IDENTIFIED"}},
                  {}};
  listing.rows.push_back({"active_floor", fit.before.active_floor, fit.after.active_floor, "of TDP",
                          fit.standard_error.in(unit::W) / tdp, "yes"});
  for (const auto& [key, value] :
       {std::pair{"compute", fit.before.compute}, std::pair{"memory", fit.before.memory}}) {
    listing.rows.push_back({key, value, value, "of TDP", Cell{}, "no: one load cannot tell it"});
  }
  const Cell idle = fit.idle ? Cell{fit.idle->in(unit::W)} : Cell{};
  const Cell known = gpu.idle_loaded ? Cell{gpu.idle_loaded->in(unit::W)} : Cell{};
  listing.rows.push_back({"idle", known, idle, "W", Cell{},
                          fit.idle ? "shown: idle watts are of the spec sheet" : "no: never idle"});
  console.print(report::aligned(to_table(listing), console.width()));
  console.print(fmt::format("\n{} steady samples over {:.4g} s: {:.4g} W +- {:.2g}\n", fit.samples,
                            fit.lasted.in(unit::s), fit.active.in(unit::W),
                            fit.standard_error.in(unit::W)));
}

}  // namespace

std::vector<Option> power_options() {
  return {{"gpu-index", "N", "card of a power log that holds several"},
          {"load-compute", "X", "share of the peak that was in use while the power was logged"},
          {"load-memory", "X", "the same of the memory bandwidth"}};
}

Exit fit_power_log(Arguments& arguments, Console& console) {
  const calibrate::PowerLoad load{share_of(arguments, "load-compute", "peak"),
                                  share_of(arguments, "load-memory", "bandwidth")};
  const auto index = arguments.count("gpu-index", 0);
  if (arguments.operands().size() > 1) {
    arguments.problem("from", "one power log a call: each has its load", "contradiction");
  }
  arguments.throw_if_problems();
  scenario::Library library(catalog::data_directory());
  const std::string wanted = *arguments.text("gpu");
  const hardware::Gpu* gpu = library.gpu(wanted);
  if (gpu == nullptr) {
    throw InputError(Problem{"", "", "gpu", library.gpus().unknown(wanted), "unknown-name"});
  }
  const auto log = calibrate::read_power_log(arguments.operands().front(), index);
  const auto fit = calibrate::fit_power(log, *gpu, load, library.calibration(*gpu).power);
  calibrate::CalibrationFile file;
  file.fitted.gpu = *gpu;
  file.measured_on = {gpu->name, log.date, "nvidia-smi logs"};
  file.power = fit.after;
  file.fitted.notes = "compute and memory of the power are as before: one load cannot tell them.";
  write_file(*arguments.text("out"), calibrate::calibration_json(file));
  print(fit, *gpu, console);
  if (log.without_figure > 0) {
    console.note(fmt::format("note: {} lines without a figure were left out", log.without_figure));
  }
  return Exit::done;
}

}  // namespace gpucap::cli

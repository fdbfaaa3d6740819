#pragma once

#include "gpucap/calibrate/forms.hpp"
#include "gpucap/calibrate/held_out_error.hpp"
#include "gpucap/calibrate/plan.hpp"

#include <string>
#include <vector>

namespace gpucap::calibrate {

/// How a coefficient of a result came about.
struct FittedCoefficient {
  std::string key, symbol, unit;
  double value = 0;           ///< in `unit`, rounded to the digits that a file keeps
  bool fitted = false;        ///< by the last search; has a standard error
  double standard_error = 0;  ///< of fitted ones
  bool absent = false;        ///< the part has no such term
  std::string basis{};        ///< in words: "fitted", "all launches, ...", "held: <why>"
};

/// Their values, each in its unit.
std::vector<double> values_of(const std::vector<FittedCoefficient>& coefficients);

/// One part of a fit file.
struct FittedPart {
  std::string part;                             ///< its key in the file: "gemm"
  std::vector<FittedCoefficient> coefficients;  ///< in the form's order
  std::vector<double> correlation;  ///< of the fitted ones, below the diagonal, row by row
  std::int64_t points = 0;          ///< launches that the last search was shown
  HeldOutError held_out;
  std::vector<HeldOutError> also;   ///< over further ranges of held-out launches
  Refusals refused;                 ///< rows and launches that were not used
  std::optional<Bytes> cold_from;   ///< launches that move less were not fitted
  std::string points_used;          ///< which launches, in words: "all launches"
  std::vector<std::string> tables;  ///< file names of those that gave samples
  std::string source;               ///< of the measurements
};

/// Which launches count as cold and what is said of them.
struct ColdRule {
  Bytes from;             ///< bytes moved, at least; smaller launches may run from the L2
  std::string word;       ///< what is moved, for people: "operands" or "KV"
  bool fit_warm = false;  ///< warm launches are fitted too
};

/// A further range of held-out launches to be reported.
struct ReportedRange {
  std::string name;                               ///< in words, as HeldOutError::range
  std::function<bool(std::size_t launch)> holds;  ///< by index in Form::launches
};

/// Screens, splits and fits one form. Launches that the card cannot have done are refused and
/// counted. First the coefficients marked so are found on all launches, then the others on the
/// cold ones. Held and absent coefficients follow the plan; a prior that no plan states keeps the
/// value that is in force. Throws InputError: nothing left to fit or to judge by, a held value that
/// does not read, a coefficient that neither samples nor plan nor calibration in force determine.
FittedPart fit_form(const Form& form, const perf::Card& card, const PartPlan& plan,
                    const ColdRule& cold, const std::vector<ReportedRange>& ranges = {});

/// Rounded to four significant digits, as files keep coefficients.
double kept(double value);

}  // namespace gpucap::calibrate

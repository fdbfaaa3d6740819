#pragma once

#include "gpucap/calibrate/forms.hpp"
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
  std::string basis{};        ///< in words: "fitted", "all launches", why it is held
};

/// Errors over a range of held-out launches. Shares of the measured time.
struct HeldOutError {
  std::string range;  ///< empty: what the part was fitted for
  std::int64_t points = 0;
  double median = 0, p95 = 0;  ///< of |predicted / measured - 1|, nearest rank
  double bias = 0;             ///< mean of ln(predicted / measured)
  double spread = 0;           ///< standard deviation over groups of the group's mean of that
};

/// Of ln(predicted / measured) and the group of each; without groups each stands alone.
HeldOutError error_summary(std::string range, const std::vector<double>& log_errors,
                           const std::vector<std::size_t>& groups);

/// One part of a fit file.
struct FittedPart {
  std::string part;
  std::vector<FittedCoefficient> coefficients;  ///< in the form's order
  std::vector<double> correlation;              ///< of the fitted ones, below the diagonal
  std::int64_t points = 0;
  HeldOutError held_out;
  std::vector<HeldOutError> also;
  Refusals refused;
  std::optional<Bytes> cold_from;  ///< launches below were not fitted
  std::string points_used;
  std::vector<std::string> tables;
  std::string source;

  [[nodiscard]] std::vector<double> values() const;
};

/// Which launches count as cold and what is said of them.
struct ColdRule {
  Bytes from;             ///< operands of at least this; smaller launches may run from the L2
  std::string word;       ///< "operands" or "KV"
  bool fit_warm = false;  ///< warm launches are fitted too
};

/// A further range of held-out launches to be reported.
struct ReportedRange {
  std::string name;
  std::function<bool(std::size_t launch)> holds;
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

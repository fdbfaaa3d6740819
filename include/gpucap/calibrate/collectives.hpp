#pragma once

#include "gpucap/calibrate/fit.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gpucap::calibrate {

/// t = (alpha^q + (S / busbw)^q)^(1/q) for payloads below a limit; libraries change their algorithm
/// with the size.
struct CollectivePiece {
  std::optional<Bytes> below;  ///< payloads up to here; absent on the last piece
  Seconds alpha;
  Bandwidth busbw;  ///< as nccl-tests counts it
  double q = 1;
};

/// Collectives of one kind, host, number of ranks and implementation.
struct FittedSet {
  SetPlan plan;
  std::vector<CollectivePiece> pieces;  ///< by rising limit
  std::string form;                     ///< which of the candidates did best, in words
  std::int64_t points = 0;              ///< rows that were fitted
  HeldOutError held_out;
  Refusals refused;
};

struct FittedSets {
  std::vector<FittedSet> sets;    ///< in the plan's order
  std::vector<HeldOutError> all;  ///< one per collective over the held-out rows of its sets
  std::vector<StatedSet> stated;  ///< as the plan has them
  std::string notes;
};

/// Time of a payload by pieces; the collective by its name ("all_reduce").
Seconds collective_time(const std::string& collective, int ranks,
                        const std::vector<CollectivePiece>& pieces, Bytes payload);

/// Fits each set of the plan to its rows. Of several forms (one piece, the lower envelope of two or
/// three straight lines, pieces between the limits that the plan states) the one is taken that does
/// best on fitted points that it was not shown, one at a time; held-out sizes play no part in that.
/// Throws InputError: a set without enough rows, an unknown collective, cells that are no numbers.
FittedSets fit_sets(std::vector<SampleTable>& tables, const FitPlan& plan,
                    const std::vector<Exclusion>& exclusions);

/// The plan of a user's own tables: one set for each collective, implementation (column "impl") and
/// number of ranks, on the host named. Throws InputError: a number of ranks that is none or below
/// two.
FitPlan plan_sets(const std::vector<SampleTable>& tables, const std::string& card,
                  const std::string& host);

}  // namespace gpucap::calibrate

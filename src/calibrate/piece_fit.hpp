#pragma once

#include "gpucap/calibrate/collectives.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpucap::calibrate {

/// One way to describe how a collective's time grows with its payload.
struct PieceForm {
  std::string name;           ///< in words, for the report
  std::size_t lines = 0;      ///< lower envelope of so many straight lines; 0: pieces
  std::vector<Bytes> limits;  ///< between pieces, rising
};

/// Samples by rising payload of one collective over some ranks.
struct PayloadCurve {
  std::string collective;
  int ranks = 2;
  std::vector<CollectiveSample> samples;
};

/// Coefficients are kept to four digits. Nothing when a piece has too few points.
std::optional<std::vector<CollectivePiece>> fit_pieces(const PayloadCurve& curve,
                                                       const PieceForm& form);

/// Mean of |ln(predicted / measured)|, at most 0.3 each, over inner points left out one at a time;
/// nothing when the form cannot be fitted without one of them.
std::optional<double> left_out_error(const PayloadCurve& curve, const PieceForm& form);

}  // namespace gpucap::calibrate

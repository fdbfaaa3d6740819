#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace gpucap::catalog {

inline constexpr std::string_view transfer_file = "calibration/fits/transfer.json";

/// Which card stands in for one that was not measured, part by part.
struct CardTransfer {
  struct Part {
    std::string from;
    std::string kinship;  ///< how near the two cards are: a key of TransferMap::spreads
  };
  std::optional<Part> gemm, attention, mixed, elementwise;  ///< absent: its own fit
  std::string reason;
};

/// Standard deviations of log(predicted / measured) that a transfer adds, by part.
struct TransferSpread {
  double gemm = 0, prefill = 0, decode = 0, mixed = 0, elementwise = 0;
};

struct TransferMap {
  std::map<std::string, TransferSpread> spreads;  ///< by kinship
  double decode_rate_of_prefill = 0;  ///< of mixed launches on a card without measured ones
  std::map<std::string, CardTransfer> cards;
};

/// Throws InputError with all problems of the file.
TransferMap read_transfer(const std::filesystem::path& data_dir);

}  // namespace gpucap::catalog

#pragma once

#include "gpucap/catalog/json_document.hpp"
#include "gpucap/hardware/gpu.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gpucap::catalog {

/// One cell of a data file, `{"value": ..., "kind": ..., "source": ...}`: a value that says where
/// it comes from. A cell without kind or source is a problem, like any other missing key.
class FactReader {
 public:
  /// Reads the cell `key` of `parent`; absent when the parent has none.
  static std::optional<FactReader> optional(ObjectReader& parent, std::string_view key);
  /// The same, but an absent cell is a problem.
  static std::optional<FactReader> required(ObjectReader& parent, std::string_view key);

  /// Reader of the whole cell; ask it for "value" with the getter that fits.
  ObjectReader& cell() { return cell_; }
  [[nodiscard]] const hardware::Fact& fact() const { return fact_; }

 private:
  explicit FactReader(ObjectReader cell);

  ObjectReader cell_;
  hardware::Fact fact_;
};

}  // namespace gpucap::catalog

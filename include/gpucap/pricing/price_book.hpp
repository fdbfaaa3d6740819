#pragma once

#include "gpucap/pricing/offer.hpp"
#include "gpucap/units/parse.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpucap::pricing {

/// Which offers to list; an absent condition lets everything pass.
struct OfferFilter {
  std::optional<std::string> gpu;  ///< a GPU id; offers that may mean it are listed as well
  std::optional<std::string> provider;
  std::optional<int> least_cards, most_cards;
  std::optional<Term> term;
  bool newest_only = true;  ///< one offer per id: what `find` gives without a date
};

/// All known offers, ordered by provider, GPU, count, tier and date (newest first). Of equal ids
/// of one date the cheapest is kept, of equal prices the one whose region sorts first.
class PriceBook {
 public:
  explicit PriceBook(std::vector<Offer> offers);

  /// "provider/gpu-xN[-tier][@date]". Without a date the newest one, an illustration only where
  /// there is nothing else. A count that is not quoted is derived from a price per card, and says
  /// so; without a date an undated quote gives way to a dated price per card. Failures:
  /// "unknown-name" with the nearest id, "ambiguous-name" when a tier is needed.
  [[nodiscard]] Parsed<Offer> find(std::string_view id) const;
  [[nodiscard]] std::vector<Offer> list(const OfferFilter& filter = {}) const;
  [[nodiscard]] const std::vector<Offer>& offers() const { return offers_; }

 private:
  [[nodiscard]] std::optional<Offer> newest(std::string_view id, std::string_view date) const;
  [[nodiscard]] std::optional<Offer> by_card(std::string_view id, std::string_view date) const;
  [[nodiscard]] ParseFailure not_found(std::string_view id, std::string_view date) const;
  std::vector<Offer> offers_;
};

}  // namespace gpucap::pricing

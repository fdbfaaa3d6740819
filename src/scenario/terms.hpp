#pragma once

#include "gpucap/evaluate/outcome.hpp"
#include "gpucap/evaluate/terms.hpp"
#include "gpucap/scenario/common.hpp"
#include "gpucap/scenario/library.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gpucap::scenario {

/// The candidates of a scenario of any kind, as nodes to rent.
using AllRented = std::vector<const Rented*>;
template <class Candidate>
AllRented rented(const std::vector<Candidate>& candidates) {
  AllRented all;
  for (const Candidate& candidate : candidates) all.push_back(&candidate);
  return all;
}

/// The currency of the comparison: stated, or that of the first price.
std::optional<Currency> currency_of(const Common& scenario, const AllRented& candidates);

/// Version, inputs and seed; the rest is filled in where it is known.
evaluate::Outcome::Provenance provenance_of(const Common& scenario);

/// Price and terms of one candidate. InputError when its price has no rate into the currency.
evaluate::Terms terms_of(const Common& scenario, const Rented& candidate,
                         std::optional<Currency> currency);

/// The day that prices are compared with: stated, or the newest on which one of them was seen.
std::optional<pricing::Date> as_of(const Common& scenario, const AllRented& candidates);

/// Says so when the price is old or undated.
std::vector<std::string> price_notes(const Rented& candidate,
                                     const std::optional<pricing::Date>& day);

/// What the user's own calibrations say of a candidate, and those that are of no candidate's card.
std::vector<std::string> calibration_notes(const Library& library, const AllRented& candidates,
                                           const Rented& candidate,
                                           const std::optional<pricing::Date>& day);

}  // namespace gpucap::scenario

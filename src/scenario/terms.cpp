#include "terms.hpp"

#include "gpucap/core/error.hpp"
#include "gpucap/core/version.hpp"

namespace gpucap::scenario {
namespace {

/// Prices older than a quarter are worth a word.
constexpr std::int64_t stale_after_days = 90;

/// All instances of an offer together.
account::Price price_of(const Rented& candidate) {
  if (candidate.price) return account::price_given(*candidate.price);
  account::Price price = account::price_of(*candidate.offer);
  price.per_hour.micro *= candidate.machines;
  return price;
}

void require_rate(const Rented& candidate, const evaluate::Terms& terms) {
  const auto converted = terms.fx.convert(terms.price->per_hour, *terms.currency);
  if (converted) return;
  throw InputError(Problem{"", "", candidate.pointer + (candidate.offer ? "/offer" : "/price"),
                           converted.failure().message, converted.failure().code});
}

}  // namespace

std::optional<Currency> currency_of(const Common& scenario, const AllRented& candidates) {
  if (scenario.currency) return scenario.currency;
  for (const Rented* candidate : candidates) {
    if (candidate->price) return candidate->price->currency;
    if (candidate->offer) return candidate->offer->price.currency;
  }
  return std::nullopt;
}

evaluate::Outcome::Provenance provenance_of(const Common& scenario) {
  evaluate::Outcome::Provenance provenance;
  provenance.version = version();
  provenance.inputs_sha256 = scenario.inputs_sha256;
  provenance.seed = scenario.seed;
  return provenance;
}

evaluate::Terms terms_of(const Common& scenario, const Rented& candidate,
                         std::optional<Currency> currency) {
  evaluate::Terms terms;
  if (candidate.offer || candidate.price) terms.price = price_of(candidate);
  terms.currency = currency;
  terms.fx = scenario.fx;
  terms.hours_per_month = scenario.hours_per_month;
  terms.energy = scenario.energy;
  if (terms.price && terms.currency) require_rate(candidate, terms);
  return terms;
}

std::optional<pricing::Date> as_of(const Common& scenario, const AllRented& candidates) {
  if (scenario.as_of) return scenario.as_of;
  std::vector<pricing::Offer> used;
  for (const Rented* candidate : candidates) {
    if (candidate->offer) used.push_back(*candidate->offer);
  }
  return pricing::newest_date(used);
}

std::vector<std::string> price_notes(const Rented& candidate,
                                     const std::optional<pricing::Date>& day) {
  if (!candidate.offer || !day) return {};
  const auto age = pricing::staleness(*candidate.offer, *day);
  if (age.days && *age.days <= stale_after_days) return {};
  return {age.text};
}

}  // namespace gpucap::scenario

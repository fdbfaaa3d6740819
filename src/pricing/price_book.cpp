#include "gpucap/pricing/price_book.hpp"

#include "gpucap/core/nearest_name.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpucap::pricing {
namespace {

auto name_key(const Offer& o) {
  return std::tie(o.provider, o.gpu, o.count, o.tier);
}

bool listed_before(const Offer& a, const Offer& b) {
  if (name_key(a) != name_key(b)) return name_key(a) < name_key(b);
  if (a.observed != b.observed) return a.observed > b.observed;  // undated last
  const std::string currency_a = a.price.currency.code(), currency_b = b.price.currency.code();
  return std::tie(a.price.micro, currency_a, a.region, a.sku) <
         std::tie(b.price.micro, currency_b, b.region, b.sku);
}

bool same_quote(const Offer& a, const Offer& b) {
  return name_key(a) == name_key(b) && a.observed == b.observed;
}

bool date_fits(const Offer& offer, std::string_view date) {
  return date.empty() || date == (offer.observed ? offer.observed->text() : "undated");
}

/// The N of "provider/gpu-xN[-tier]" if everything else is as in `offer`.
std::optional<int> other_count(const Offer& offer, std::string_view id) {
  const std::string prefix = fmt::format("{}/{}-x", offer.provider, offer.gpu);
  const std::string suffix = offer.tier.empty() ? "" : "-" + offer.tier;
  if (!id.starts_with(prefix) || !id.ends_with(suffix)) return std::nullopt;
  if (id.size() <= prefix.size() + suffix.size()) return std::nullopt;
  const std::string_view digits =
      id.substr(prefix.size(), id.size() - prefix.size() - suffix.size());
  int count = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  const bool whole = fault == std::errc{} && end == digits.data() + digits.size() && count > 0;
  return whole ? std::optional<int>(count) : std::nullopt;
}

bool passes(const OfferFilter& filter, const Offer& offer) {
  return (!filter.gpu || match_gpu(offer, *filter.gpu).matches) &&
         (!filter.provider || offer.provider == *filter.provider) &&
         (!filter.least_cards || offer.count >= *filter.least_cards) &&
         (!filter.most_cards || offer.count <= *filter.most_cards) &&
         (!filter.term || offer.term == *filter.term);
}

}  // namespace

PriceBook::PriceBook(std::vector<Offer> offers) : offers_(std::move(offers)) {
  std::stable_sort(offers_.begin(), offers_.end(), listed_before);
  offers_.erase(std::unique(offers_.begin(), offers_.end(), same_quote), offers_.end());
}

std::optional<Offer> PriceBook::newest(std::string_view id, std::string_view date) const {
  std::optional<Offer> illustration;
  for (const Offer& offer : offers_) {  // newest first within an id
    if (offer.id() != id || !date_fits(offer, date)) continue;
    if (offer.quality != Quality::c) return offer;
    if (!illustration) illustration = offer;
  }
  return illustration;
}

std::optional<Offer> PriceBook::by_card(std::string_view id, std::string_view date) const {
  for (const Offer& offer : offers_) {
    if (offer.scope != PriceScope::gpu || offer.count != 1) continue;
    const auto count = other_count(offer, id);
    if (!count) continue;
    const auto best = newest(offer.id(), date);
    if (best && best->scope == PriceScope::gpu) return derived_offer(*best, *count);
  }
  return std::nullopt;
}

ParseFailure PriceBook::not_found(std::string_view id, std::string_view date) const {
  std::vector<std::string> ids, tiers, dates;
  for (const Offer& offer : offers_) {
    const std::string known = offer.id();
    if (known == id) dates.push_back(offer.dated_id());
    if (!ids.empty() && ids.back() == known) continue;
    ids.push_back(known);
    if (known.starts_with(fmt::format("{}-", id))) tiers.push_back(known);
  }
  if (!dates.empty()) {
    return {
        fmt::format("offer \"{}\" has no price of {}; known: {}", id, date, fmt::join(dates, ", ")),
        "unknown-name"};
  }
  if (!tiers.empty()) {
    return {fmt::format("offer \"{}\" needs a tier; one of: {}", id, fmt::join(tiers, ", ")),
            "ambiguous-name"};
  }
  return {unknown_name("offer", id, ids), "unknown-name"};
}

Parsed<Offer> PriceBook::find(std::string_view id) const {
  const std::size_t at = id.find('@');
  const std::string_view base = id.substr(0, at);
  const std::string_view date = at == std::string_view::npos ? "" : id.substr(at + 1);
  auto quoted = newest(base, date);
  if (quoted && (quoted->observed || !date.empty())) return *std::move(quoted);
  auto derived = by_card(base, date);
  if (derived && (derived->observed || !quoted)) return *std::move(derived);
  if (quoted) return *std::move(quoted);
  return not_found(base, date);
}

std::vector<Offer> PriceBook::list(const OfferFilter& filter) const {
  std::vector<Offer> listed;
  for (const Offer& offer : offers_) {
    if (!passes(filter, offer)) continue;
    const bool again = !listed.empty() && name_key(listed.back()) == name_key(offer);
    if (!filter.newest_only) {
      listed.push_back(offer);
    } else if (!again) {
      listed.push_back(*find(offer.id()));
    }
  }
  return listed;
}

}  // namespace gpucap::pricing

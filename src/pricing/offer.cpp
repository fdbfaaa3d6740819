#include "gpucap/pricing/offer.hpp"

#include "gpucap/units/sim_time.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace gpucap::pricing {
namespace {

/// micro x share / of, half away from zero; prices are never negative.
std::int64_t share_of(std::int64_t micro, int share, int of) {
  const Ticks::Wide exact = Ticks::Wide{micro} * share;
  return static_cast<std::int64_t>((2 * exact + of) / (2 * of));
}

std::string derivation(const Offer& offer, int count) {
  if (offer.scope == PriceScope::gpu) {
    return fmt::format("derived: {} x the price per card quoted for {}", count, offer.count);
  }
  if (count < offer.count) return fmt::format("derived: {} of {} cards", count, offer.count);
  if (count % offer.count == 0) {
    return fmt::format("derived: {} x the price of a {}-card node, no {}-card node is quoted",
                       count / offer.count, offer.count, count);
  }
  return fmt::format("derived: {} cards at the price per card of a {}-card node", count,
                     offer.count);
}

}  // namespace

std::string_view name(Term term) {
  constexpr std::string_view names[] = {"on-demand", "spot", "reserved", "12mo"};
  return names[static_cast<int>(term)];
}

std::string Offer::id() const {
  return fmt::format("{}/{}-x{}{}{}", provider, gpu, count, tier.empty() ? "" : "-", tier);
}

std::string Offer::dated_id() const {
  return fmt::format("{}@{}", id(), observed ? observed->text() : "undated");
}

std::vector<std::string> flags(const Offer& offer) {
  std::vector<std::string> all;
  if (offer.derived) all.push_back(*offer.derived);
  if (offer.quality == Quality::c) all.emplace_back("illustration only");
  if (!offer.observed) all.emplace_back("undated");
  if (offer.gpu_assumed) all.push_back(*offer.gpu_assumed);
  if (offer.billing.assumed) all.push_back(*offer.billing.assumed);
  if (offer.term == Term::spot) all.emplace_back("spot: may be reclaimed");
  if (offer.term == Term::reserved || offer.term == Term::twelve_months) {
    all.emplace_back("commitment: hours that are not used are due as well");
  }
  all.insert(all.end(), offer.notes.begin(), offer.notes.end());
  return all;
}

Offer derived_offer(const Offer& offer, int count) {
  if (count <= 0) throw std::invalid_argument("an offer needs at least one card");
  if (count == offer.count) return offer;
  Offer made = offer;
  made.count = count;
  made.price.micro = share_of(offer.price.micro, count, offer.count);
  made.derived = derivation(offer, count) + (offer.derived ? "; " + *offer.derived : "");
  made.sku.clear();
  made.vcpus.reset();
  made.ram.reset();
  made.disk.reset();
  return made;
}

GpuMatch match_gpu(const Offer& offer, std::string_view gpu) {
  if (offer.gpu == gpu) return {true, offer.gpu_assumed};
  const auto& others = offer.or_gpus;
  if (std::find(others.begin(), others.end(), gpu) == others.end()) return {false, std::nullopt};
  return {true, fmt::format("the offer does not name the variant; taken as {}", gpu)};
}

Staleness staleness(const Offer& offer, const Date& as_of) {
  if (!offer.observed) return {std::nullopt, "price undated: its age is not known"};
  const std::int64_t days = days_between(*offer.observed, as_of);
  const std::string_view side = days < 0 ? "after" : "before";
  return {days, fmt::format("price seen {}, {} days {} {}", offer.observed->text(),
                            days < 0 ? -days : days, side, as_of.text())};
}

std::optional<Date> newest_date(const std::vector<Offer>& offers) {
  std::optional<Date> newest;
  for (const Offer& offer : offers) newest = std::max(newest, offer.observed);
  return newest;
}

}  // namespace gpucap::pricing

#pragma once

#include "gpucap/pricing/billing_rule.hpp"
#include "gpucap/pricing/date.hpp"
#include "gpucap/units/money.hpp"
#include "gpucap/units/quantity.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpucap::pricing {

/// What the quoted price buys.
enum class PriceScope { instance, gpu };

enum class Term { on_demand, spot, reserved, twelve_months };
std::string_view name(Term term);  ///< on-demand, spot, reserved, 12mo

/// a: the provider's own page or interface; b: second-hand or undated; c: illustration only.
enum class Quality { a, b, c };

/// A node that can be rented, at the price of the whole node.
struct Offer {
  std::string provider;                     ///< as in the id: "hivenet"
  std::string provider_name;                ///< as the provider calls the service
  std::string gpu;                          ///< GPU id, assumed where `gpu_assumed` says so
  int count = 1;                            ///< cards in the node
  MoneyPerHour price;                       ///< of the whole node
  PriceScope scope = PriceScope::instance;  ///< as quoted
  BillingRule billing;
  Term term = Term::on_demand;
  std::string tier;              ///< part of the id: "secure", "spot", ...; may be empty
  std::string region;            ///< empty = not stated
  std::string sku;               ///< the provider's name of the node; empty = not stated
  std::optional<Date> observed;  ///< day on which the price was seen
  std::string source;
  Quality quality = Quality::b;

  std::optional<std::string> derived;      ///< how the price was made from another offer
  std::optional<std::string> gpu_assumed;  ///< why the source does not settle the card's variant
  std::vector<std::string> or_gpus;        ///< GPU ids that the quote may mean as well
  std::optional<int> vcpus;
  std::optional<Bytes> ram, disk;
  std::vector<std::string> notes;

  /// "provider/gpu-xN[-tier]"
  [[nodiscard]] std::string id() const;
  /// The id with "@2026-08-22" or "@undated".
  [[nodiscard]] std::string dated_id() const;
};

/// What a reader must know beside the price: derived, illustration, undated, assumed card or
/// billing step, commitment or spot, then the notes.
std::vector<std::string> flags(const Offer& offer);

/// The price of `count` cards made from an offer of another count, by equal shares per card; says
/// so in `derived`. Throws std::invalid_argument unless count is positive.
Offer derived_offer(const Offer& offer, int count);

/// Does the offer sell this card? Where the source leaves the form factor open, every card that it
/// may mean matches, and `note` says what was taken for granted.
struct GpuMatch {
  bool matches = false;
  std::optional<std::string> note;
};
GpuMatch match_gpu(const Offer& offer, std::string_view gpu);

/// Age of a price on `as_of`: days since it was seen, absent when undated, negative when the price
/// is newer than `as_of`.
struct Staleness {
  std::optional<std::int64_t> days;
  std::string text;  ///< "price seen 2026-08-22, 79 days before 2026-11-09"
};
Staleness staleness(const Offer& offer, const Date& as_of);

/// The newest date on which one of these prices was seen: the default of `as_of`.
std::optional<Date> newest_date(const std::vector<Offer>& offers);

}  // namespace gpucap::pricing

#include "gpucap/account/ledger.hpp"

namespace gpucap::account {
namespace {

LedgerLine blank_line(const Price& price, Seconds held, const pricing::Date& start,
                      const std::string& candidate) {
  LedgerLine line;
  line.charge_period_start = utc_instant(start, Seconds{});
  line.charge_period_end = utc_instant(start, held);
  line.provider_name = price.provider;
  line.region_id = price.region;
  line.service_name = "GPU node";
  line.sku_id = price.sku;
  line.resource_id = price.offer;
  line.x_candidate = candidate;
  return line;
}

void set_cost(LedgerLine& line, Money cost, pricing::Term term) {
  line.billed_cost = line.effective_cost = line.contracted_cost = cost;
  if (term == pricing::Term::on_demand) line.list_cost = cost;
}

LedgerLine hours_line(LedgerLine line, const Price& price, Seconds held, Money cost) {
  set_cost(line, cost, price.term);
  if (line.list_cost) line.list_unit_price = price.per_hour;
  line.charge_description = "node hours, " + std::string(name(price.term));
  line.pricing_quantity = pricing::billed_time(price.billing, held).in(unit::hour);
  line.consumed_quantity = held.in(unit::hour);
  line.pricing_unit = line.consumed_unit = "Hours";
  return line;
}

}  // namespace

std::vector<LedgerLine> ledger_of(const Price& price, Seconds held, const pricing::Date& start,
                                  const std::string& candidate) {
  const LedgerLine blank = blank_line(price, held, start, candidate);
  const Money total = pricing::bill(price.billing, price.per_hour, held);
  const Money rest = pricing::top_up(price.billing, price.per_hour, held);
  const Money hours{total.micro - rest.micro, total.currency};
  std::vector<LedgerLine> lines = {hours_line(blank, price, held, hours)};
  if (rest.micro > 0) {
    lines.push_back(blank);
    set_cost(lines.back(), rest, price.term);
    lines.back().charge_description = "minimum charge";
  }
  return lines;
}

}  // namespace gpucap::account

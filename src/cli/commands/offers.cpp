#include "gpucap/catalog/offers.hpp"

#include "gpucap/catalog/data_dir.hpp"
#include "gpucap/catalog/gpus.hpp"
#include "gpucap/cli/catalog_commands.hpp"
#include "gpucap/cli/format.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpucap::cli {
namespace {

using pricing::Offer;
using report::Cell;
using report::Listing;
using report::Shown;

struct Catalog {
  catalog::GpuBook gpus;
  pricing::PriceBook prices;
};

Catalog load() {
  const auto folder = catalog::data_directory();
  catalog::GpuBook gpus = catalog::load_gpus(folder);
  std::vector<std::string> ids;
  for (const auto& gpu : gpus.all()) ids.push_back(gpu.id);
  pricing::PriceBook prices = catalog::load_price_book(folder, ids);
  return {std::move(gpus), std::move(prices)};
}

Cell seen(const Offer& offer) {
  return offer.observed ? Cell{offer.observed->text()} : Cell{};
}

Cell in_seconds(Seconds duration) {
  return duration > Seconds{} ? Cell{duration.in(unit::s)} : Cell{};
}

std::string flags_text(const Offer& offer) {
  return fmt::format("{}", fmt::join(pricing::flags(offer), "; "));
}

Listing listed(const std::vector<Offer>& offers) {
  Listing listing{{{"offer", "OFFER"},
                   {"provider", "PROVIDER", Shown::text, 5},
                   {"gpu", "GPU", Shown::text, 4},
                   {"cards", "CARDS", Shown::count},
                   {"term", "TERM", Shown::text, 1},
                   {"currency", "CUR"},
                   {"price_per_card_hour", "per card h", Shown::money},
                   {"price_per_node_hour", "per node h", Shown::money},
                   {"billing_step_s", "STEP s", Shown::exact, 2},
                   {"billing_minimum_s", "MIN s", Shown::exact, 3},
                   {"region", "REGION", Shown::text, 6},
                   {"seen", "SEEN"},
                   {"flags", "FLAGS", Shown::text, 7}},
                  {}};
  for (const Offer& offer : offers) {
    const double node = offer.price.amount();
    listing.rows.push_back({offer.id(), offer.provider, offer.gpu, std::int64_t{offer.count},
                            std::string(name(offer.term)), offer.price.currency.code(),
                            node / offer.count, node, in_seconds(offer.billing.step),
                            in_seconds(offer.billing.minimum), report::text_cell(offer.region),
                            seen(offer), report::text_cell(flags_text(offer))});
  }
  return listing;
}

Listing sheet_of(const Offer& offer) {
  const auto gib = [](const std::optional<Bytes>& bytes) {
    return bytes ? Cell{bytes->in(unit::GiB)} : Cell{};
  };
  Listing sheet{{{"field", "FIELD"}, {"value", "VALUE", Shown::exact}},
                {{"offer", offer.dated_id()},
                 {"provider", offer.provider_name},
                 {"gpu", offer.gpu},
                 {"cards", std::int64_t{offer.count}},
                 {"term", std::string(name(offer.term))},
                 {"currency", offer.price.currency.code()},
                 {"price_per_node_hour", offer.price.amount()},
                 {"price_per_card_hour", offer.price.amount() / offer.count},
                 {"billing_step_s", in_seconds(offer.billing.step)},
                 {"billing_minimum_s", in_seconds(offer.billing.minimum)},
                 {"billing_source", report::text_cell(offer.billing.source)},
                 {"region", report::text_cell(offer.region)},
                 {"sku", report::text_cell(offer.sku)},
                 {"vcpus", offer.vcpus ? Cell{std::int64_t{*offer.vcpus}} : Cell{}},
                 {"ram_gib", gib(offer.ram)},
                 {"disk_gib", gib(offer.disk)},
                 {"seen", seen(offer)},
                 {"source", report::text_cell(offer.source)}}};
  int number = 0;
  for (const auto& flag : pricing::flags(offer)) {
    sheet.rows.push_back({fmt::format("flag_{}", ++number), flag});
  }
  return sheet;
}

/// "2" or "1..8".
void read_cards(Arguments& arguments, pricing::OfferFilter& filter) {
  const auto written = arguments.text("count");
  if (!written) return;
  const std::size_t dots = written->find("..");
  const auto low = parse_count(written->substr(0, dots));
  const auto high = dots == std::string::npos ? low : parse_count(written->substr(dots + 2));
  if (!low || !high || *low < 1 || *high < *low || *high > 1'000'000) {
    arguments.problem("count",
                      fmt::format("\"{}\" is not a number of cards; write 2 or 1..8", *written),
                      "not-a-count");
    return;
  }
  filter.least_cards = static_cast<int>(*low);
  filter.most_cards = static_cast<int>(*high);
}

void read_card(Arguments& arguments, const catalog::GpuBook& gpus, pricing::OfferFilter& filter) {
  const auto wanted = arguments.text("gpu");
  if (!wanted) return;
  const auto* gpu = gpus.find(*wanted);
  if (gpu == nullptr) {
    arguments.problem("gpu", gpus.unknown(*wanted), "unknown-name");
  } else {
    filter.gpu = gpu->id;
  }
}

pricing::OfferFilter filter_of(Arguments& arguments, const Catalog& known) {
  pricing::OfferFilter filter;
  read_card(arguments, known.gpus, filter);
  read_cards(arguments, filter);
  std::vector<std::pair<std::string, std::string>> providers;
  for (const Offer& offer : known.prices.offers()) {
    providers.emplace_back(offer.provider, offer.provider);
  }
  filter.provider = arguments.choice<std::string>("provider", providers);
  filter.newest_only = !arguments.has("all");
  return filter;
}

Exit run_list(Arguments& arguments, Console& console) {
  const Format format = format_of(arguments);
  const Catalog known = load();
  const auto filter = filter_of(arguments, known);
  arguments.throw_if_problems();
  auto offers = known.prices.list(filter);
  print_rows(listed(offers), format, console);
  console.note(
      fmt::format("Shown {} of {} prices{}. Sources: gpucap offers show OFFER", offers.size(),
                  known.prices.offers().size(),
                  filter.newest_only ? ", the newest of each offer (--all for every one)" : ""));
  return Exit::done;
}

Exit run_show(Arguments& arguments, Console& console) {
  const Format format = format_of(arguments);
  arguments.throw_if_problems();
  const Catalog known = load();
  const auto offer = known.prices.find(arguments.operands().front());
  if (!offer) {
    throw InputError(Problem{"", "", "", offer.failure().message, offer.failure().code});
  }
  print_cells(sheet_of(*offer), format, console);
  return Exit::done;
}

}  // namespace

Command offers_list() {
  return {"offers list",
          "dated prices of nodes",
          {"gpucap offers list --gpu rtx-4090 --count 1..2"},
          {},
          {{"gpu", "GPU", "only nodes with this card"},
           {"count", "N|A..B", "only nodes with so many cards"},
           {"provider", "NAME", "only this provider"},
           {"all", "", "older prices too"},
           format_option()},
          run_list};
}

Command offers_show() {
  return {"offers show",
          "one price with its billing rule and source",
          {"gpucap offers show hivenet/rtx-4090-x4"},
          {{"OFFER"}},
          {format_option()},
          run_show};
}

}  // namespace gpucap::cli

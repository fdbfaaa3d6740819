#include "gpucap/catalog/offers.hpp"

#include "gpucap/core/nearest_name.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace gpucap::catalog {
namespace {

using pricing::BillingRule;
using pricing::Offer;
using pricing::PriceScope;
using pricing::Quality;
using pricing::Term;

const std::vector<std::pair<std::string, PriceScope>> scope_words = {
    {"instance", PriceScope::instance}, {"gpu", PriceScope::gpu}};
const std::vector<std::pair<std::string, Quality>> quality_words = {
    {"A", Quality::a}, {"B", Quality::b}, {"C", Quality::c}};
const std::vector<std::pair<std::string, Term>> term_words = {{"on-demand", Term::on_demand},
                                                              {"spot", Term::spot},
                                                              {"reserved", Term::reserved},
                                                              {"12mo", Term::twelve_months}};

BillingRule read_billing(ObjectReader reader) {
  BillingRule rule;
  rule.step = reader.required("step", reader.quantity("step", parse_duration));
  rule.minimum = reader.quantity("minimum", parse_duration).value_or(Seconds{});
  rule.minimum_charge = reader.quantity("minimum_charge", parse_money);
  rule.stopped_gpu_billed = reader.flag("stopped_gpu_billed");
  rule.assumed = reader.text("assumed");
  rule.source = reader.required("source", reader.text("source"));
  if (reader.has("step") && !(rule.step > Seconds{})) {
    reader.problem("step", "a billing step must be longer than 0 s", "out-of-range");
  }
  if (rule.minimum < Seconds{}) {
    reader.problem("minimum", "a billed minimum cannot be negative", "out-of-range");
  }
  reader.finish();
  return rule;
}

std::optional<pricing::Date> date_of(JsonDocument& document, const std::string& date) {
  const auto parsed = pricing::Date::parse(date);
  if (!parsed && date != "undated") {
    document.add_problem("",
                         fmt::format("a price file is named by its date (2026-08-22.json, "
                                     "2025-12.json) or undated.json, not \"{}\"",
                                     date),
                         "bad-date");
  }
  return parsed;
}

void check_gpu(ObjectReader& reader, std::string_view key, const std::string& gpu,
               const std::vector<std::string>& known) {
  if (gpu.empty() || known.empty()) return;
  if (std::find(known.begin(), known.end(), gpu) != known.end()) return;
  reader.problem(key, unknown_name("GPU", gpu, known), "unknown-name");
}

void read_gpu(ObjectReader& reader, Offer& offer, const std::vector<std::string>& known_gpus) {
  offer.gpu = reader.required("gpu", reader.text("gpu"));
  offer.gpu_assumed = reader.text("gpu_assumed");
  offer.or_gpus = reader.texts("or_gpus");
  check_gpu(reader, "gpu", offer.gpu, known_gpus);
  for (const std::string& other : offer.or_gpus) check_gpu(reader, "or_gpus", other, known_gpus);
  const auto count = reader.required("count", reader.count("count"));
  offer.count = static_cast<int>(std::clamp<std::int64_t>(count, 1, 65536));
  if (reader.has("count") && count != offer.count) {
    reader.problem("count", "the number of cards must be from 1 to 65536", "out-of-range");
  }
}

/// The quoted price as the price of the whole node.
void read_price(ObjectReader& reader, Offer& offer) {
  offer.price = reader.required("price", reader.quantity("price", parse_price));
  if (offer.price.micro < 0) {
    reader.problem("price", "a price cannot be negative", "out-of-range");
  }
  if (offer.scope == PriceScope::gpu) offer.price.micro *= offer.count;
  const auto& charge = offer.billing.minimum_charge;
  if (charge && reader.has("price") && charge->currency != offer.price.currency) {
    reader.problem("price", "the price and the minimum charge have different currencies",
                   "mixed-currencies");
  }
}

void read_node(ObjectReader& reader, Offer& offer) {
  offer.region = reader.text("region").value_or("");
  offer.sku = reader.text("sku").value_or("");
  if (const auto vcpus = reader.count("vcpus")) offer.vcpus = static_cast<int>(*vcpus);
  offer.ram = reader.quantity("ram", parse_bytes);
  offer.disk = reader.quantity("disk", parse_bytes);
  offer.notes = reader.texts("notes");
}

/// One row and the rows that it asks to derive from it.
void read_offer(ObjectReader reader, Offer offer, const std::vector<std::string>& known_gpus,
                std::vector<Offer>& offers) {
  read_gpu(reader, offer, known_gpus);
  read_price(reader, offer);
  offer.term = reader.choice("term", "term", term_words).value_or(Term::on_demand);
  offer.tier = reader.text("tier").value_or(
      offer.term == Term::on_demand ? "" : std::string(name(offer.term)));
  read_node(reader, offer);
  const std::vector<double> counts = reader.numbers("derive_counts");
  reader.finish();
  offers.push_back(offer);
  for (const double count : counts) {
    if (count < 1 || count > 65536 || static_cast<int>(count) != count) {
      reader.problem("derive_counts", "must hold whole numbers of cards", "out-of-range");
      continue;
    }
    offers.push_back(derived_offer(offer, static_cast<int>(count)));
  }
}

/// Rows that share a source, a quality and what the price buys.
void read_quotes(ObjectReader reader, Offer shared, const std::vector<std::string>& known_gpus,
                 std::vector<Offer>& offers) {
  shared.source = reader.required("source", reader.text("source"));
  shared.quality = reader.required("quality", reader.choice("quality", "quality", quality_words));
  shared.scope = reader.required("scope", reader.choice("scope", "price scope", scope_words));
  for (ObjectReader& row : reader.objects("offers")) {
    read_offer(std::move(row), shared, known_gpus, offers);
  }
  reader.finish();
}

std::vector<std::filesystem::path> price_files(const std::filesystem::path& data_dir) {
  const std::filesystem::path root = data_dir / "pricing";
  if (!std::filesystem::is_directory(root)) {
    throw InputError(Problem{root.string(), "", "", "there is no such price folder", "no-file"});
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<Offer> read_offers(JsonDocument& document, const std::string& provider,
                               const std::string& date,
                               const std::vector<std::string>& known_gpus) {
  std::vector<Offer> offers;
  Offer shared;
  ObjectReader reader(document);
  shared.provider = provider;
  shared.provider_name = reader.required("provider", reader.text("provider"));
  shared.observed = date_of(document, date);
  if (auto billing = reader.object("billing")) {
    shared.billing = read_billing(std::move(*billing));
  } else {
    document.add_problem("", "\"billing\" is missing", "missing-key");
  }
  for (ObjectReader& quotes : reader.objects("quotes")) {
    read_quotes(std::move(quotes), shared, known_gpus, offers);
  }
  reader.finish();
  document.throw_if_problems();
  return offers;
}

pricing::PriceBook load_price_book(const std::filesystem::path& data_dir,
                                   const std::vector<std::string>& known_gpus) {
  std::vector<Offer> offers;
  std::vector<Problem> problems;
  for (const std::filesystem::path& path : price_files(data_dir)) {
    try {
      JsonDocument document = JsonDocument::read(path.string());
      const auto read = read_offers(document, path.parent_path().filename().string(),
                                    path.stem().string(), known_gpus);
      offers.insert(offers.end(), read.begin(), read.end());
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return pricing::PriceBook(std::move(offers));
}

}  // namespace gpucap::catalog

#include "fit_transfer.hpp"

#include "gpucap/core/nearest_name.hpp"

#include "fit_file.hpp"

namespace gpucap::catalog {
namespace {

using Spreads = std::map<std::string, TransferSpread>;

Spreads read_spreads(ObjectReader& root) {
  Spreads spreads;
  auto kinds = root.object("spreads");
  if (!root.has("spreads")) root.problem("spreads", "is missing", "missing-key");
  if (!kinds) return spreads;
  for (const std::string& name : kinds->keys()) {
    auto kind = kinds->object(name);
    if (!kind) continue;
    spreads[name] = {not_negative(*kind, "gemm"), not_negative(*kind, "prefill"),
                     not_negative(*kind, "decode"), not_negative(*kind, "mixed"),
                     not_negative(*kind, "elementwise")};
    kind->required("source", kind->text("source"));
    kind->finish();
  }
  return spreads;
}

std::optional<CardTransfer::Part> read_part(ObjectReader& card, std::string_view key,
                                            const Spreads& spreads) {
  auto reader = card.object(key);
  if (!reader) return std::nullopt;
  CardTransfer::Part part;
  part.from = reader->required("from", reader->text("from"));
  part.kinship = reader->required("kinship", reader->text("kinship"));
  if (spreads.find(part.kinship) == spreads.end() && reader->has("kinship")) {
    std::vector<std::string> known;
    for (const auto& [name, spread] : spreads) known.push_back(name);
    reader->problem("kinship", unknown_name("kinship", part.kinship, known), "unknown-name");
  }
  reader->finish();
  return part;
}

CardTransfer read_card(ObjectReader card, const Spreads& spreads) {
  CardTransfer transfer;
  transfer.gemm = read_part(card, "gemm", spreads);
  transfer.attention = read_part(card, "attention", spreads);
  transfer.mixed = read_part(card, "mixed", spreads);
  transfer.elementwise = read_part(card, "elementwise", spreads);
  transfer.reason = card.required("reason", card.text("reason"));
  card.finish();
  return transfer;
}

}  // namespace

TransferMap read_transfer(const std::filesystem::path& data_dir) {
  JsonDocument document = JsonDocument::read((data_dir / transfer_file).string());
  ObjectReader root(document);
  TransferMap map;
  map.spreads = read_spreads(root);
  if (auto rule = root.object("mixed_rule")) {
    map.decode_rate_of_prefill = fraction(*rule, "decode_rate_of_prefill");
    rule->text("source");
    rule->finish();
  } else if (!root.has("mixed_rule")) {
    document.add_problem("", "\"mixed_rule\" is missing", "missing-key");
  }
  if (auto cards = root.object("cards")) {
    for (const std::string& id : cards->keys()) {
      if (auto card = cards->object(id)) map.cards[id] = read_card(std::move(*card), map.spreads);
    }
  } else if (!root.has("cards")) {
    document.add_problem("", "\"cards\" is missing", "missing-key");
  }
  root.finish();
  document.throw_if_problems();
  return map;
}

}  // namespace gpucap::catalog

#include "fit_transfer.hpp"

#include "fit_file.hpp"

namespace gpucap::catalog {
namespace {

std::optional<CardTransfer::Part> read_part(ObjectReader& card, std::string_view key) {
  auto reader = card.object(key);
  if (!reader) return std::nullopt;
  CardTransfer::Part part;
  part.from = reader->required("from", reader->text("from"));
  if (reader->has("ec")) {
    part.ec = fraction(*reader, "ec");
    part.source = reader->required("source", reader->text("source"));
  }
  reader->finish();
  return part;
}

CardTransfer read_card(ObjectReader card) {
  CardTransfer transfer;
  transfer.gemm = read_part(card, "gemm");
  transfer.attention = read_part(card, "attention");
  transfer.mixed = read_part(card, "mixed");
  transfer.elementwise = read_part(card, "elementwise");
  transfer.reason = card.required("reason", card.text("reason"));
  card.finish();
  return transfer;
}

}  // namespace

TransferMap read_transfer(const std::filesystem::path& data_dir) {
  JsonDocument document = JsonDocument::read((data_dir / transfer_file).string());
  ObjectReader root(document);
  TransferMap map;
  if (auto rule = root.object("mixed_rule")) {
    map.decode_rate_of_prefill = fraction(*rule, "decode_rate_of_prefill");
    rule->text("source");
    rule->finish();
  } else if (!root.has("mixed_rule")) {
    document.add_problem("", "\"mixed_rule\" is missing", "missing-key");
  }
  if (auto cards = root.object("cards")) {
    for (const std::string& id : cards->keys()) {
      if (auto card = cards->object(id)) map.cards[id] = read_card(std::move(*card));
    }
  } else if (!root.has("cards")) {
    document.add_problem("", "\"cards\" is missing", "missing-key");
  }
  root.finish();
  document.throw_if_problems();
  return map;
}

}  // namespace gpucap::catalog

#include "fit_sustained.hpp"

#include "gpucap/perf/sustained_rate.hpp"

#include "fit_file.hpp"
#include <fmt/format.h>

namespace gpucap::catalog {
namespace {

using Entry = SustainedTable::Entry;

Entry read_entry(ObjectReader reader, std::string_view key) {
  Entry entry;
  entry.value = positive(reader, key);
  entry.source = reader.required("source", reader.text("source"));
  reader.text("chips");
  if (reader.has("interval")) reader.numbers("interval");
  reader.finish();
  return entry;
}

std::map<std::string, Entry> read_entries(ObjectReader& root, std::string_view group,
                                          std::string_view key) {
  std::map<std::string, Entry> entries;
  auto objects = root.object(group);
  if (!root.has(group)) root.problem(group, "is missing", "missing-key");
  if (!objects) return entries;
  for (const std::string& name : objects->keys()) {
    if (auto object = objects->object(name)) entries[name] = read_entry(std::move(*object), key);
  }
  return entries;
}

/// What the spec sheet says of power and clock; nothing when it lacks one of them.
std::optional<perf::PowerCap> cap_of(const hardware::Gpu& gpu, double floor_of_tdp) {
  const auto clock = gpu.tensor_clock ? gpu.tensor_clock : gpu.boost_clock;
  auto peak = gpu.dense_peak.find(Dtype::bf16);
  if (peak == gpu.dense_peak.end()) peak = gpu.dense_peak.find(Dtype::fp16);
  if (!clock || peak == gpu.dense_peak.end()) return std::nullopt;
  return perf::PowerCap{gpu.tdp, gpu.idle_loaded.value_or(gpu.tdp * floor_of_tdp), peak->second,
                        *clock};
}

}  // namespace

SustainedTable read_sustained(const std::filesystem::path& data_dir) {
  JsonDocument document = JsonDocument::read((data_dir / sustained_file).string());
  ObjectReader root(document);
  SustainedTable table;
  root.text("form");
  root.text("notes");
  table.floor_of_tdp = fraction(root, "floor_of_tdp");
  root.text("floor_source");
  table.cards = read_entries(root, "cards", "share");
  table.generations = read_entries(root, "generations", "pj_per_flop_at_1_ghz");
  root.finish();
  document.throw_if_problems();
  return table;
}

perf::SustainedRate sustained_rate(const SustainedTable& table, const hardware::Gpu& gpu) {
  const auto own = table.cards.find(gpu.id);
  const auto generation = table.generations.find(gpu.compute_capability);
  perf::SustainedRate rate;
  rate.origin.file = sustained_file;
  const auto cap = cap_of(gpu, table.floor_of_tdp);
  if (own != table.cards.end()) {
    rate.share = own->second.value;
    rate.origin.source = own->second.source;
    rate.origin.card = gpu.id;
    rate.origin.measured = true;
  } else if (generation != table.generations.end() && cap) {
    const Entry& energy = generation->second;
    rate.share = perf::sustained_share({energy.value * 1e-12 * unit::J, 1000 * unit::MHz}, *cap);
    rate.origin.source = energy.source;
  } else {
    rate.origin.source = "no power cap: no energy per FLOP is known of this generation of chips";
  }
  return rate;
}

}  // namespace gpucap::catalog

#include "fit_sustained.hpp"

#include "gpucap/perf/sustained_rate.hpp"

#include "fit_file.hpp"
#include <fmt/format.h>

namespace gpucap::catalog {
namespace {

/// One generation of chips, or one card, as the file has it.
struct Entry {
  double value = 0;
  std::string source;
};

Entry read_entry(ObjectReader reader, std::string_view key) {
  Entry entry;
  entry.value = positive(reader, key);
  entry.source = reader.required("source", reader.text("source"));
  reader.text("chips");
  if (reader.has("interval")) reader.numbers("interval");
  reader.finish();
  return entry;
}

/// The entry named `id`, if there is one; all are checked.
std::optional<Entry> entry_of(ObjectReader& root, std::string_view group, std::string_view key,
                              const std::string& id) {
  std::optional<Entry> found;
  auto entries = root.object(group);
  if (!root.has(group)) root.problem(group, "is missing", "missing-key");
  if (!entries) return found;
  for (const std::string& name : entries->keys()) {
    auto object = entries->object(name);
    if (!object) continue;
    const Entry entry = read_entry(std::move(*object), key);
    if (name == id) found = entry;
  }
  return found;
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

perf::SustainedRate read_sustained(const std::filesystem::path& data_dir,
                                   const hardware::Gpu& gpu) {
  JsonDocument document = JsonDocument::read((data_dir / sustained_file).string());
  ObjectReader root(document);
  root.text("form");
  root.text("notes");
  const double floor_of_tdp = fraction(root, "floor_of_tdp");
  root.text("floor_source");
  const auto own = entry_of(root, "cards", "share", gpu.id);
  const auto generation =
      entry_of(root, "generations", "pj_per_flop_at_1_ghz", gpu.compute_capability);
  root.finish();
  document.throw_if_problems();

  perf::SustainedRate rate;
  rate.origin.file = sustained_file;
  const auto cap = cap_of(gpu, floor_of_tdp);
  if (own) {
    rate.share = own->value;
    rate.origin.source = own->source;
    rate.origin.card = gpu.id;
    rate.origin.measured = true;
  } else if (generation && cap) {
    rate.share =
        perf::sustained_share({generation->value * 1e-12 * unit::J, 1000 * unit::MHz}, *cap);
    rate.origin.source = generation->source;
  } else {
    rate.origin.source = "no power cap: no energy per FLOP is known of this generation of chips";
  }
  return rate;
}

}  // namespace gpucap::catalog

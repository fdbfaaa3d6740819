#include "engine_section.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace gpucap::catalog {

EngineSection::EngineSection(ObjectReader reader, std::string name, perf::EngineProfile& profile)
    : reader_(std::move(reader)), name_(std::move(name)), profile_(&profile) {}

double EngineSection::number(std::string_view key) {
  const auto interval = std::string(key) + "_interval";
  if (reader_.has(interval)) keep_interval(key, interval, reader_.numbers(interval));
  return reader_.required(key, reader_.number(key));
}

void EngineSection::keep_interval(std::string_view key, const std::string& name,
                                  const std::vector<double>& ends) {
  if (ends.size() != 2 || ends[0] > ends[1]) {
    reader_.problem(name, "must be a low and a high end, in the unit of the figure",
                    "wrong-interval");
    return;
  }
  profile_->intervals[fmt::format("{}.{}", name_, key)] = {ends[0], ends[1]};
}

void EngineSection::read_source(ObjectReader& entry) {
  const auto text = entry.required("text", entry.text("text"));
  for (const auto& key : entry.texts("of")) {
    if (!reader_.has(key)) {
      entry.problem("of", fmt::format("\"{}\" is no key of this section", key), "unknown-key");
    } else if (!profile_->sources.emplace(name_ + "." + key, text).second) {
      entry.problem("of", fmt::format("\"{}\" has a source already", key), "duplicate-key");
    }
  }
  entry.finish();
}

void EngineSection::finish() {
  for (auto& entry : reader_.objects("sources")) read_source(entry);
  for (const auto& key : reader_.keys()) {
    const bool figure =
        key != "sources" && key != "notes" && key != "assumed" && !key.ends_with("_interval");
    if (figure && !profile_->sources.contains(name_ + "." + key)) {
      reader_.problem(key, fmt::format("no entry of \"sources\" names \"{}\"", key),
                      "missing-source");
    }
  }
  reader_.finish();
}

}  // namespace gpucap::catalog

#include "sourced_section.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace gpucap::catalog {

SourcedSection::SourcedSection(ObjectReader reader, std::string name, Sources& sources,
                               Intervals& intervals)
    : reader_(std::move(reader)),
      name_(std::move(name)),
      sources_(&sources),
      intervals_(&intervals) {}

double SourcedSection::number(std::string_view key) {
  const auto interval = std::string(key) + "_interval";
  if (reader_.has(interval)) keep_interval(key, interval, reader_.numbers(interval));
  return reader_.required(key, reader_.number(key));
}

void SourcedSection::keep_interval(std::string_view key, const std::string& name,
                                   const std::vector<double>& ends) {
  if (ends.size() != 2 || ends[0] > ends[1]) {
    reader_.problem(name, "must be a low and a high end, in the unit of the figure",
                    "wrong-interval");
    return;
  }
  (*intervals_)[fmt::format("{}.{}", name_, key)] = {ends[0], ends[1]};
}

void SourcedSection::read_source(ObjectReader& entry) {
  const auto text = entry.required("text", entry.text("text"));
  for (const auto& key : entry.texts("of")) {
    if (!reader_.has(key)) {
      entry.problem("of", fmt::format("\"{}\" is no key of this section", key), "unknown-key");
    } else if (!sources_->emplace(name_ + "." + key, text).second) {
      entry.problem("of", fmt::format("\"{}\" has a source already", key), "duplicate-key");
    }
  }
  entry.finish();
}

std::vector<std::string> SourcedSection::assumed() {
  auto fields = reader_.texts("assumed");
  for (const auto& field : fields) {
    if (reader_.has(field)) continue;
    reader_.problem("assumed", fmt::format("\"{}\" is no key of this section", field),
                    "unknown-key");
  }
  return fields;
}

void SourcedSection::finish() {
  for (auto& entry : reader_.objects("sources")) read_source(entry);
  for (const auto& key : reader_.keys()) {
    const bool figure =
        key != "sources" && key != "notes" && key != "assumed" && !key.ends_with("_interval");
    if (figure && !sources_->contains(name_ + "." + key)) {
      reader_.problem(key, fmt::format("no entry of \"sources\" names \"{}\"", key),
                      "missing-source");
    }
  }
  reader_.finish();
}

}  // namespace gpucap::catalog

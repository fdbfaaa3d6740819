#include "gpucap/catalog/software.hpp"

#include "gpucap/catalog/json_folder.hpp"
#include "gpucap/core/nearest_name.hpp"

#include <algorithm>

#include "sourced_section.hpp"
#include <fmt/format.h>

namespace gpucap::catalog {
namespace {

using training::Software;

constexpr std::string_view software_folder = "calibration/software";

void read_memory(SourcedSection section, Software& software) {
  auto& memory = software.memory;
  memory.fused_activations = section.flag("fused_activations");
  memory.score_bytes = section.number("score_bytes");
  memory.bytes_per_logit = section.number("bytes_per_logit");
  memory.kept_bytes_per_logit = section.number("kept_bytes_per_logit");
  memory.optimizer_temporary = section.number("optimizer_temporary");
  memory.optimizer_group = section.number("optimizer_group");
  memory.adapter_bytes = section.number("adapter_bytes");
  memory.context = section.quantity("context", parse_bytes);
  memory.workspace = section.quantity("workspace", parse_bytes);
  memory.shard_buffer = section.quantity("shard_buffer", parse_bytes);
  memory.live_parameters = section.number("live_parameters");
  memory.mixed_shards = section.flag("mixed_shards");
  memory.quantised_inputs = section.flag("quantised_inputs");
  memory.reserved_over_allocated = section.number("reserved_over_allocated");
  memory.whole_model_at_load = section.flag("whole_model_at_load");
  memory.relative_error = section.number("relative_error");
  memory.assumed = section.assumed();
  section.finish();
}

void read_architectures(SourcedSection& section, std::map<std::string, double>& factors) {
  auto own = section.reader().object("attention_on");
  if (!own) return;
  for (const std::string& architecture : own->keys()) {
    if (const auto factor = own->number(architecture)) factors[architecture] = *factor;
  }
  own->finish();
}

void read_time(SourcedSection section, Software& software) {
  auto& time = software.time;
  time.products = section.number("products");
  time.streams = section.number("streams");
  time.attention = section.number("attention");
  read_architectures(section, time.attention_on);
  time.attention_backward_tokens = section.number("attention_backward_tokens");
  time.widening = section.number("widening");
  time.launch_per_layer = section.quantity("launch_per_layer", parse_duration);
  time.launch_quantised = section.quantity("launch_quantised", parse_duration);
  time.launch_sharded = section.quantity("launch_sharded", parse_duration);
  time.per_step = section.quantity("per_step", parse_duration);
  time.exchange_overlap = section.number("exchange_overlap");
  time.straggle = section.number("straggle");
  time.relative_error = section.number("relative_error");
  time.assumed = section.assumed();
  section.finish();
}

void read_convolutions(SourcedSection section, Software& software) {
  auto& convolutions = software.convolutions.emplace();
  convolutions.traffic = section.number("traffic");
  convolutions.cycles_narrow = section.number("cycles_narrow");
  convolutions.cycles_wide = section.number("cycles_wide");
  convolutions.relative_error = section.number("relative_error");
  convolutions.least_batch = section.count("least_batch");
  convolutions.fitted_on = section.reader().texts("fitted_on");
  section.finish();
}

void read_section(ObjectReader& root, const std::string& name,
                  void (*read)(SourcedSection, Software&), Software& software) {
  if (auto object = root.object(name)) {
    read({std::move(*object), name, software.sources, software.intervals}, software);
  } else if (!root.has(name)) {
    root.problem(name, fmt::format("the section \"{}\" is missing", name), "missing-key");
  }
}

}  // namespace

Software read_software(JsonDocument document) {
  Software software;
  ObjectReader root(document);
  software.id = root.required("id", root.text("id"));
  software.name = root.required("name", root.text("name"));
  software.source = root.required("source", root.text("source"));
  read_section(root, "memory", read_memory, software);
  read_section(root, "time", read_time, software);
  if (root.has("convolutions")) read_section(root, "convolutions", read_convolutions, software);
  root.finish();
  document.throw_if_problems();
  return software;
}

SoftwareBook::SoftwareBook(std::vector<Software> software) : software_(std::move(software)) {
  std::sort(software_.begin(), software_.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
}

const Software* SoftwareBook::find(std::string_view id) const {
  const auto found =
      std::find_if(software_.begin(), software_.end(), [&](const auto& s) { return s.id == id; });
  return found == software_.end() ? nullptr : &*found;
}

std::string SoftwareBook::unknown(std::string_view id) const {
  std::vector<std::string> ids;
  for (const auto& software : software_) ids.push_back(software.id);
  return unknown_name("training software", id, ids);
}

SoftwareBook load_software(const std::filesystem::path& data_directory) {
  std::vector<Software> software;
  for (const auto& file : json_files(data_directory / software_folder)) {
    software.push_back(read_software(JsonDocument::read(file)));
  }
  return SoftwareBook(std::move(software));
}

std::optional<Software> load_software(const std::filesystem::path& data_directory,
                                      const std::string& id) {
  const auto file = json_file(data_directory / software_folder, id);
  if (!file) return std::nullopt;
  Software software = read_software(JsonDocument::read(*file));
  return software.id == id ? std::optional(std::move(software)) : std::nullopt;
}

}  // namespace gpucap::catalog

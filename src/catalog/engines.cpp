#include "gpucap/catalog/engines.hpp"

#include "gpucap/catalog/json_folder.hpp"
#include "gpucap/core/nearest_name.hpp"

#include <algorithm>

#include "sourced_section.hpp"
#include <fmt/format.h>

namespace gpucap::catalog {
namespace {

using perf::EngineProfile;
using EngineSection = SourcedSection;

constexpr std::string_view engines_folder = "calibration/engines";

void read_scheduling(EngineSection section, EngineProfile& engine) {
  auto& reader = section.reader();
  const auto batching = reader.choice<EngineProfile::Batching>(
      "batching", "batching",
      {{"continuous", EngineProfile::Batching::continuous},
       {"prefill_first", EngineProfile::Batching::prefill_first},
       {"gang", EngineProfile::Batching::gang}});
  engine.batching = reader.required("batching", batching);
  engine.chunked_prefill = section.flag("chunked_prefill");
  engine.prefix_caching = section.flag("prefix_caching");
  engine.async_scheduling = section.flag("async_scheduling");
  engine.reserve_full_prompt = section.flag("reserve_full_prompt");
  engine.watermark = section.number("watermark");
  engine.block_tokens = section.count("block_tokens");
  engine.latent_block_tokens = section.count("latent_block_tokens");
  engine.window_layers_apart = section.flag("window_layers_apart");
  engine.mixed_attention_launch = section.flag("mixed_attention_launch");
  engine.fixed_max_num_seqs = reader.count("fixed_max_num_seqs");
  section.finish();
}

EngineProfile::CardDefaults read_card(ObjectReader& reader) {
  EngineProfile::CardDefaults card;
  card.min_visible_memory = reader.quantity("min_visible_memory", parse_bytes);
  card.not_if_name_contains = reader.texts("not_if_name_contains");
  card.max_num_batched_tokens =
      reader.required("max_num_batched_tokens", reader.count("max_num_batched_tokens"));
  card.max_num_seqs = reader.required("max_num_seqs", reader.count("max_num_seqs"));
  reader.finish();
  return card;
}

void read_defaults(EngineSection section, EngineProfile& engine) {
  auto& reader = section.reader();
  engine.gpu_memory_utilization = section.number("gpu_memory_utilization");
  for (auto& card : reader.objects("cards")) engine.card_defaults.push_back(read_card(card));
  if (auto lengthy = reader.object("chunked_when_long")) {
    engine.chunked_when_long = EngineProfile::LongContext{
        lengthy->required("above_model_len", lengthy->count("above_model_len")),
        lengthy->required("max_num_batched_tokens", lengthy->count("max_num_batched_tokens"))};
    lengthy->finish();
  }
  section.finish();
}

void read_graphs(EngineSection section, EngineProfile& engine) {
  auto& reader = section.reader();
  EngineProfile::GraphSizes sizes;
  for (const double first : reader.numbers("first")) {
    sizes.first.push_back(static_cast<std::int64_t>(first));
  }
  for (auto& range : reader.objects("ranges")) {
    sizes.ranges.push_back({range.required("step", range.count("step")),
                            range.required("up_to", range.count("up_to"))});
    range.finish();
  }
  sizes.limit_to_twice_max_num_seqs = reader.flag("limit_to_twice_max_num_seqs").value_or(false);
  engine.graph_sizes = std::move(sizes);
  section.finish();
}

void read_memory(EngineSection section, EngineProfile& engine) {
  auto& memory = engine.memory;
  auto& reader = section.reader();
  memory.sampler_bytes = section.number("sampler_bytes");
  memory.hidden_copies = section.number("hidden_copies");
  memory.ffn_copies = section.number("ffn_copies");
  memory.mlp_hidden_copies = section.number("mlp_hidden_copies");
  if (reader.has("activation_floor")) {
    memory.activation_floor = section.quantity("activation_floor", parse_bytes);
  }
  memory.non_torch_single = section.quantity("non_torch_single", parse_bytes);
  memory.non_torch_parallel = section.quantity("non_torch_parallel", parse_bytes);
  memory.non_torch_pcie = section.quantity("non_torch_pcie", parse_bytes);
  memory.cuda_context = section.quantity("cuda_context", parse_bytes);
  memory.graphs_inside_budget = section.flag("graphs_inside_budget");
  memory.graphs = section.quantity("graphs", parse_bytes);
  memory.assumed = section.assumed();
  section.finish();
}

void read_host(EngineSection section, EngineProfile& engine) {
  auto& host = engine.host;
  host.gap = section.quantity("gap", parse_duration);
  host.gap_per_sequence = section.quantity("gap_per_sequence", parse_duration);
  host.floor_per_layer = section.quantity("floor_per_layer", parse_duration);
  host.per_sequence = section.quantity("per_sequence", parse_duration);
  host.front_end = section.quantity("front_end", parse_duration);
  host.measured = section.flag("measured");
  section.finish();
}

using SectionReader = void (*)(EngineSection, EngineProfile&);

void read_section(ObjectReader& root, const std::string& name, SectionReader read, bool required,
                  EngineProfile& engine) {
  if (auto object = root.object(name)) {
    read({std::move(*object), name, engine.sources, engine.intervals}, engine);
  } else if (required && !root.has(name)) {
    root.problem(name, fmt::format("the section \"{}\" is missing", name), "missing-key");
  }
}

}  // namespace

EngineProfile read_engine(JsonDocument document) {
  EngineProfile engine;
  ObjectReader root(document);
  engine.id = root.required("id", root.text("id"));
  engine.name = root.required("name", root.text("name"));
  engine.source = root.required("source", root.text("source"));
  read_section(root, "scheduling", read_scheduling, true, engine);
  read_section(root, "defaults", read_defaults, true, engine);
  read_section(root, "graphs", read_graphs, false, engine);
  read_section(root, "memory", read_memory, true, engine);
  read_section(root, "host", read_host, true, engine);
  root.finish();
  document.throw_if_problems();
  return engine;
}

EngineBook::EngineBook(std::vector<EngineProfile> engines) : engines_(std::move(engines)) {
  std::sort(engines_.begin(), engines_.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
}

const EngineProfile* EngineBook::find(std::string_view id) const {
  const auto found =
      std::find_if(engines_.begin(), engines_.end(), [&](const auto& e) { return e.id == id; });
  return found == engines_.end() ? nullptr : &*found;
}

std::string EngineBook::unknown(std::string_view id) const {
  std::vector<std::string> ids;
  for (const auto& engine : engines_) ids.push_back(engine.id);
  return unknown_name("engine", id, ids);
}

EngineBook load_engines(const std::filesystem::path& data_directory) {
  std::vector<EngineProfile> engines;
  for (const auto& file : json_files(data_directory / engines_folder)) {
    engines.push_back(read_engine(JsonDocument::read(file)));
  }
  return EngineBook(std::move(engines));
}

std::optional<EngineProfile> load_engine(const std::filesystem::path& data_directory,
                                         const std::string& id) {
  const auto file = json_file(data_directory / engines_folder, id);
  if (!file) return std::nullopt;
  EngineProfile engine = read_engine(JsonDocument::read(*file));
  return engine.id == id ? std::optional(std::move(engine)) : std::nullopt;
}

}  // namespace gpucap::catalog

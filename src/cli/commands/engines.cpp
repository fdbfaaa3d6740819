#include "gpucap/catalog/engines.hpp"

#include "gpucap/catalog/data_dir.hpp"
#include "gpucap/cli/catalog_commands.hpp"
#include "gpucap/cli/format.hpp"

#include <fmt/format.h>

namespace gpucap::cli {
namespace {

using perf::EngineProfile;
using report::Cell;
using report::Listing;
using report::Shown;

std::string word(EngineProfile::Batching batching) {
  switch (batching) {
    case EngineProfile::Batching::continuous:
      return "continuous";
    case EngineProfile::Batching::prefill_first:
      return "prefill_first";
    case EngineProfile::Batching::gang:
      break;
  }
  return "gang";
}

Listing listed(const std::vector<EngineProfile>& engines) {
  Listing listing{{{"engine", "ENGINE"},
                   {"batching", "BATCHING"},
                   {"chunked_prefill", "CHUNKED", Shown::yes_no, 1},
                   {"prefix_caching", "PREFIX CACHE", Shown::yes_no, 1},
                   {"async_scheduling", "ASYNC", Shown::yes_no, 1},
                   {"block_tokens", "BLOCK", Shown::count, 2},
                   {"gpu_memory_utilization", "MEMORY SHARE", Shown::exact, 2},
                   {"host_gap_ms", "HOST GAP", Shown::exact, 3},
                   {"name", "NAME", Shown::text, 4}},
                  {}};
  for (const EngineProfile& engine : engines) {
    listing.rows.push_back(
        {engine.id, word(engine.batching), report::flag_cell(engine.chunked_prefill),
         report::flag_cell(engine.prefix_caching), report::flag_cell(engine.async_scheduling),
         engine.block_tokens, engine.gpu_memory_utilization, engine.host.gap.in(unit::ms),
         engine.name});
  }
  return listing;
}

/// Lines of `engines show`: a figure and the source that the profile states for it.
class Sheet {
 public:
  explicit Sheet(const EngineProfile& engine) : engine_(&engine) {}

  /// `key` is the place of the figure in the file.
  void add(const std::string& key, Cell value) { add_row(key, "", std::move(value), 1); }
  void add(const std::string& key, Bytes bytes) {
    add_row(key, "_gib", bytes.in(unit::GiB), unit::GiB.base());
  }
  void add(const std::string& key, Seconds duration) {
    add_row(key, "_us", duration.in(unit::us), unit::us.base());
  }
  Listing& listing() { return listing_; }

 private:
  void add_row(const std::string& key, const std::string& unit_suffix, Cell value, double unit) {
    const auto source = engine_->sources.find(key);
    const auto range = engine_->intervals.find(key);
    const bool ranged = range != engine_->intervals.end();
    listing_.rows.push_back({key + unit_suffix, std::move(value),
                             ranged ? Cell{range->second.first / unit} : Cell{},
                             ranged ? Cell{range->second.second / unit} : Cell{},
                             source != engine_->sources.end() ? Cell{source->second} : Cell{}});
  }

  const EngineProfile* engine_;
  Listing listing_{{{"field", "FIELD"},
                    {"value", "VALUE", Shown::exact},
                    {"low", "LOW", Shown::exact},
                    {"high", "HIGH", Shown::exact},
                    {"source", "SOURCE"}},
                   {}};
};

void add_scheduling(Sheet& sheet, const EngineProfile& engine) {
  const auto& fixed = engine.fixed_max_num_seqs;
  sheet.add("scheduling.batching", word(engine.batching));
  sheet.add("scheduling.chunked_prefill", report::flag_cell(engine.chunked_prefill));
  sheet.add("scheduling.prefix_caching", report::flag_cell(engine.prefix_caching));
  sheet.add("scheduling.async_scheduling", report::flag_cell(engine.async_scheduling));
  sheet.add("scheduling.reserve_full_prompt", report::flag_cell(engine.reserve_full_prompt));
  sheet.add("scheduling.watermark", engine.watermark);
  sheet.add("scheduling.block_tokens", engine.block_tokens);
  sheet.add("scheduling.latent_block_tokens", engine.latent_block_tokens);
  sheet.add("scheduling.fixed_max_num_seqs", fixed ? Cell{*fixed} : Cell{});
}

/// "70 GiB and more, not a100: 8192 tokens, 1024 sequences"
std::string rule_text(const EngineProfile::CardDefaults& rule) {
  std::string cards = rule.min_visible_memory ? fmt::format("{:.6g} GiB and more",
                                                            rule.min_visible_memory->in(unit::GiB))
                                              : "any other card";
  for (const auto& name : rule.not_if_name_contains) cards += ", not " + name;
  return fmt::format("{}: {} tokens, {} sequences", cards, rule.max_num_batched_tokens,
                     rule.max_num_seqs);
}

void add_defaults(Sheet& sheet, const EngineProfile& engine) {
  sheet.add("defaults.gpu_memory_utilization", engine.gpu_memory_utilization);
  std::string rules;
  for (const auto& rule : engine.card_defaults) {
    rules += (rules.empty() ? "" : "; ") + rule_text(rule);
  }
  sheet.add("defaults.cards", report::text_cell(rules));
}

void add_memory(Sheet& sheet, const EngineProfile::Memory& memory) {
  sheet.add("memory.sampler_bytes", memory.sampler_bytes);
  sheet.add("memory.hidden_copies", memory.hidden_copies);
  sheet.add("memory.ffn_copies", memory.ffn_copies);
  sheet.add("memory.mlp_hidden_copies", memory.mlp_hidden_copies);
  sheet.add("memory.activation_floor", memory.activation_floor);
  sheet.add("memory.non_torch_single", memory.non_torch_single);
  sheet.add("memory.non_torch_parallel", memory.non_torch_parallel);
  sheet.add("memory.cuda_context", memory.cuda_context);
  sheet.add("memory.graphs_inside_budget", report::flag_cell(memory.graphs_inside_budget));
  sheet.add("memory.graphs", memory.graphs);
}

void add_host(Sheet& sheet, const EngineProfile::Host& host) {
  sheet.add("host.gap", host.gap);
  sheet.add("host.gap_per_sequence", host.gap_per_sequence);
  sheet.add("host.floor_per_layer", host.floor_per_layer);
  sheet.add("host.per_sequence", host.per_sequence);
  sheet.add("host.front_end", host.front_end);
  sheet.add("host.measured", report::flag_cell(host.measured));
}

Listing sheet_of(const EngineProfile& engine) {
  Sheet sheet(engine);
  sheet.add("engine", engine.id);
  sheet.add("name", engine.name);
  add_scheduling(sheet, engine);
  add_defaults(sheet, engine);
  add_memory(sheet, engine.memory);
  add_host(sheet, engine.host);
  sheet.add("source", report::text_cell(engine.source));
  return std::move(sheet.listing());
}

Exit run_list(Arguments& arguments, Console& console) {
  const Format format = format_of(arguments);
  arguments.throw_if_problems();
  print_rows(listed(catalog::load_engines(catalog::data_directory()).all()), format, console);
  console.note("Host gap in ms a step. Sources and memory terms: gpucap engines show ENGINE");
  return Exit::done;
}

Exit run_show(Arguments& arguments, Console& console) {
  const Format format = format_of(arguments);
  arguments.throw_if_problems();
  const auto book = catalog::load_engines(catalog::data_directory());
  const std::string& wanted = arguments.operands().front();
  const EngineProfile* engine = book.find(wanted);
  if (engine == nullptr) {
    throw InputError(Problem{"", "", "", book.unknown(wanted), "unknown-name"});
  }
  print_cells(sheet_of(*engine), format, console);
  return Exit::done;
}

}  // namespace

Command engines_list() {
  return {"engines list",          "the serving engines that are known",
          {"gpucap engines list"}, {},
          {format_option()},       run_list};
}

Command engines_show() {
  return {"engines show",
          "rules, memory and host times of one engine, with their sources",
          {"gpucap engines show vllm-0.19"},
          {{"ENGINE"}},
          {format_option()},
          run_show};
}

}  // namespace gpucap::cli

#include "gpucap/calibrate/plan.hpp"

#include "gpucap/catalog/json_document.hpp"
#include "gpucap/core/nearest_name.hpp"

#include <algorithm>

namespace gpucap::calibrate {
namespace {

using catalog::JsonDocument;
using catalog::ObjectReader;

Parsed<std::string> as_written(std::string_view text) {
  return std::string(text);
}

/// {"gpu": ["A100-SXM4-80GB"], "tp": ["2", "4"]}
RowFilter read_filter(ObjectReader& owner, std::string_view key) {
  RowFilter filter;
  if (auto reader = owner.object(key)) {
    for (const std::string& column : reader->keys()) filter[column] = reader->texts(column);
  }
  return filter;
}

std::map<std::string, Hold> read_holds(ObjectReader& part, std::string_view group) {
  std::map<std::string, Hold> holds;
  auto reader = part.object(group);
  if (!reader) return holds;
  for (const std::string& key : reader->keys()) {
    auto hold = reader->object(key);
    if (!hold) continue;
    holds[key] = {hold->required("value", hold->quantity("value", as_written)),
                  hold->required("reason", hold->text("reason"))};
    hold->finish();
  }
  return holds;
}

KernelPlan read_kernel(ObjectReader reader) {
  using Width = perf::ElementwiseKernel::Width;
  KernelPlan plan;
  plan.kernel.name = reader.required("name", reader.text("name"));
  plan.kernel.per_layer = reader.required("per_layer", reader.number("per_layer"));
  plan.kernel.width =
      reader.required("width", reader.choice<Width>("width", "width",
                                                    {{"hidden", Width::hidden},
                                                     {"ffn", Width::ffn},
                                                     {"query_and_key", Width::query_and_key},
                                                     {"key_and_value", Width::key_and_value}}));
  plan.layer = reader.required("layer", reader.text("layer"));
  plan.symbol = reader.required("symbol", reader.text("symbol"));
  reader.finish();
  return plan;
}

PartPlan read_part(ObjectReader reader) {
  PartPlan part;
  part.tables = reader.texts("tables");
  part.rows = read_filter(reader, "rows");
  part.hold = read_holds(reader, "hold");
  part.at_least = read_holds(reader, "at_least");
  for (std::string& key : reader.texts("without")) part.without.insert(std::move(key));
  part.cold_from = reader.quantity("cold_from", parse_bytes);
  part.all_launches = reader.flag("all_launches").value_or(false);
  for (ObjectReader& kernel : reader.objects("kernels")) {
    part.kernels.push_back(read_kernel(std::move(kernel)));
  }
  part.source = reader.required("source", reader.text("source"));
  reader.finish();
  return part;
}

/// "256 KiB, 64 MiB"
std::vector<Bytes> read_limits(ObjectReader& reader, std::string_view list) {
  std::vector<Bytes> limits;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    std::string_view text = list.substr(0, end);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const auto limit = parse_bytes(text);
    if (!limit) {
      reader.problem("limits", limit.failure().message, limit.failure().code);
    } else if (!limits.empty() && *limit <= limits.back()) {
      reader.problem("limits", "must rise", "out-of-range");
    } else {
      limits.push_back(*limit);
    }
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return limits;
}

SetPlan read_set_head(ObjectReader& reader) {
  SetPlan set;
  set.host = reader.required("host", reader.text("host"));
  set.card = reader.required("card", reader.text("card"));
  set.ranks = static_cast<int>(reader.required("ranks", reader.count("ranks")));
  set.implementation = reader.required("implementation", reader.text("implementation"));
  set.collective = reader.required("collective", reader.text("collective"));
  set.source = reader.required("source", reader.text("source"));
  return set;
}

SetPlan read_set(ObjectReader reader) {
  SetPlan set = read_set_head(reader);
  set.rows = read_filter(reader, "rows");
  for (const std::string& list : reader.texts("limits")) {
    set.limits.push_back(read_limits(reader, list));
  }
  reader.finish();
  return set;
}

StatedSet read_stated(ObjectReader reader) {
  StatedSet stated;
  stated.set = read_set_head(reader);
  stated.alpha = reader.required("alpha", reader.quantity("alpha", parse_duration));
  stated.busbw = reader.required("busbw", reader.quantity("busbw", parse_bandwidth));
  stated.q = reader.required("q", reader.number("q"));
  reader.finish();
  return stated;
}

void read_parts(ObjectReader& root, FitPlan& plan) {
  static const std::vector<std::string> known = {"gemm",  "prefill",     "decode",
                                                 "mixed", "elementwise", "sampler"};
  auto parts = root.object("parts");
  if (!parts) return;
  for (const std::string& key : parts->keys()) {
    auto part = parts->object(key);
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      parts->problem(key, unknown_name("part of a fit", key, known), "unknown-name");
    } else if (part) {
      plan.parts[key] = read_part(std::move(*part));
    }
  }
}

}  // namespace

std::vector<std::string> FitPlan::tables() const {
  std::set<std::string> names(set_tables.begin(), set_tables.end());
  for (const auto& [key, part] : parts) names.insert(part.tables.begin(), part.tables.end());
  return {names.begin(), names.end()};
}

std::map<std::string, std::string> FitPlan::columns_of(const std::string& table) const {
  const auto found = columns.find(table);
  return found == columns.end() ? std::map<std::string, std::string>{} : found->second;
}

FitPlan read_plan(const std::filesystem::path& path) {
  JsonDocument document = JsonDocument::read(path.string());
  ObjectReader root(document);
  FitPlan plan;
  plan.card = root.text("card").value_or("");
  read_parts(root, plan);
  if (auto columns = root.object("columns")) {
    for (const std::string& table : columns->keys()) {
      auto stated = columns->object(table);
      if (!stated) continue;
      for (const std::string& column : stated->keys()) {
        plan.columns[table][column] = stated->quantity(column, as_written).value_or("");
      }
    }
  }
  for (ObjectReader& set : root.objects("sets")) plan.sets.push_back(read_set(std::move(set)));
  for (ObjectReader& set : root.objects("stated")) {
    plan.stated.push_back(read_stated(std::move(set)));
  }
  plan.set_tables = root.texts("tables");
  if (plan.parts.empty() && plan.sets.empty()) {
    document.add_problem("", "neither \"parts\" nor \"sets\": there is nothing to fit",
                         "missing-key");
  } else if (!plan.parts.empty() && plan.card.empty()) {
    document.add_problem("", "\"card\" is missing", "missing-key");
  }
  plan.notes = root.text("file_notes").value_or("");
  root.finish();
  document.throw_if_problems();
  return plan;
}

std::vector<Exclusion> read_exclusions(const std::filesystem::path& data_dir) {
  JsonDocument document = JsonDocument::read((data_dir / "calibration/exclusions.json").string());
  ObjectReader root(document);
  std::vector<Exclusion> exclusions;
  for (ObjectReader& entry : root.objects("exclusions")) {
    Exclusion exclusion;
    exclusion.where = read_filter(entry, "where");
    exclusion.reason = entry.required("reason", entry.text("reason"));
    if (exclusion.where.empty()) {
      entry.problem("where", "must name at least one column", "missing-key");
    }
    entry.finish();
    exclusions.push_back(std::move(exclusion));
  }
  root.finish();
  document.throw_if_problems();
  return exclusions;
}

}  // namespace gpucap::calibrate

#include "gpucap/scenario/read.hpp"

#include "gpucap/core/sha256.hpp"

#include <algorithm>

#include "sections.hpp"
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace gpucap::scenario {
namespace {

namespace fs = std::filesystem;
using catalog::JsonDocument;
using nlohmann::json;

// The largest whole number that every JSON reader keeps exactly.
constexpr std::int64_t largest_seed = 9'007'199'254'740'991;

constexpr const char* format_name = "gpucap-scenario/1";

/// One spelling for one file; a path that cannot be followed stays as it is.
std::string resolved_path(const fs::path& file) {
  std::error_code fault;
  const fs::path whole = fs::weakly_canonical(file, fault);
  return (fault ? file : whole).string();
}

void merge_includes(JsonDocument& document, const fs::path& file, std::vector<std::string> path) {
  path.push_back(resolved_path(file));
  const auto& root = document.root();
  if (!root.is_object() || !root.contains("include")) return;
  ObjectReader reader(document);
  const auto names = reader.texts("include");
  // The last one named lies directly below this file, the first at the bottom.
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    const fs::path included = file.parent_path() / *name;
    const std::string key = resolved_path(included);
    if (std::find(path.begin(), path.end(), key) != path.end()) {
      path.push_back(key);
      reader.problem("include",
                     fmt::format("files include each other: {}", fmt::join(path, " -> ")),
                     "include-cycle");
      return;
    }
    try {
      JsonDocument below = JsonDocument::read(included.string());
      merge_includes(below, included, path);
      document.merge_over(std::move(below));
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) {
        const bool unreadable = problem.position.empty() && problem.pointer.empty();
        if (!unreadable) throw;
        reader.problem("include", fmt::format("{}: {}", problem.file, problem.message),
                       problem.code);
      }
    }
  }
}

void apply(JsonDocument& document, const std::string& set) {
  const std::size_t equals = set.find('=');
  if (equals == std::string::npos) {
    throw InputError(Problem{"", "", "--set",
                             fmt::format("\"{}\" has no \"=\"; write /pointer=VALUE", set),
                             "wrong-option"});
  }
  const std::string text = set.substr(equals + 1);
  json value = json::parse(text, nullptr, false);
  if (value.is_discarded()) value = text;
  document.set(set.substr(0, equals), value, "--set");
}

/// Options of the common engine; the workload may state the number formats as well.
EngineOptions common_engine(ObjectReader& root, const Reading& reading) {
  EngineOptions common;
  if (auto engine = root.object("engine")) common = read_engine_options(*engine, reading);
  if (!common.profile) common.profile = *reading.library.engine("vllm-0.19");
  const json& document = root.document().root();
  EngineOptions stated;
  for (const char* key : {"weight_dtype", "kv_dtype"}) {
    const json::json_pointer at(fmt::format("/workload/{}", key));
    if (!document.contains(at)) continue;
    // Checked as an engine option, so that one table of words serves both places.
    JsonDocument option("", json{{key, document[at]}}.dump());
    const EngineOptions read = read_engine_options(ObjectReader(option), reading);
    for (const Problem& problem : option.problems()) {
      root.document().add_problem(at.to_string(), problem.message, problem.code);
    }
    stated = stated.over(read);
  }
  return common.over(stated);
}

}  // namespace

JsonDocument open_document(const fs::path& file, const std::vector<std::string>& set) {
  JsonDocument document = JsonDocument::read(file.string());
  merge_includes(document, file, {});
  for (const std::string& text : set) apply(document, text);
  document.throw_if_problems();
  return document;
}

void read_common(ObjectReader& root, Common& scenario) {
  scenario.name = root.required("name", root.text("name"));
  root.required("format", root.choice<int>("format", "format", {{format_name, 1}}));
  scenario.seed = static_cast<std::uint64_t>(count_from(root, "seed", 0, largest_seed).value_or(0));
  root.texts("include");
  if (const auto code = root.text("currency")) {
    scenario.currency = Currency::parse(*code);
    if (!scenario.currency) {
      root.problem("currency", fmt::format("\"{}\" is no currency code such as EUR", *code),
                   "unknown-name");
    }
  }
  if (const auto day = root.text("as_of")) {
    scenario.as_of = pricing::Date::parse(*day);
    if (!scenario.as_of) {
      root.problem("as_of", fmt::format("\"{}\" is no date such as 2026-08-22", *day),
                   "wrong-date");
    }
  }
  if (auto billing = root.object("billing")) read_billing(*billing, scenario);
  if (auto energy = root.object("energy")) read_energy(*energy, scenario);
}

void finish_scenario(ObjectReader& root, Common& scenario) {
  root.finish();
  const JsonDocument& document = root.document();
  document.throw_if_problems();
  const std::string source = fs::path(document.file()).filename().string();
  scenario.inputs_sha256[source.empty() ? "options" : source] = sha256_hex(document.root().dump());
}

Kind kind_of(JsonDocument& document) {
  // Read with everything else later; here only a kind that no reader knows is a problem.
  JsonDocument probe("", document.root().dump());
  ObjectReader root(probe);
  std::optional<Kind> kind;
  if (auto workload = root.object("workload")) {
    kind = workload->choice<Kind>(
        "kind", "kind of workload",
        {{"serving", Kind::serving}, {"training", Kind::training}, {"cluster", Kind::cluster}});
  }
  for (const Problem& problem : probe.problems()) {
    document.add_problem(problem.pointer, problem.message, problem.code);
  }
  document.throw_if_problems();
  return kind.value_or(Kind::serving);
}

Scenario read_scenario(JsonDocument& document, const fs::path& folder, Library& library) {
  Scenario scenario;
  const Reading reading{library, folder};
  ObjectReader root(document);
  read_common(root, scenario);
  read_calibrations(root, reading, scenario);
  if (auto workload = root.object("workload")) {
    read_workload(*workload, reading, scenario);
  } else {
    root.required("workload", std::optional<int>{});
  }
  read_loads(root, reading, scenario);
  if (auto slo = root.object("slo")) read_slo(*slo, scenario);
  read_candidates(root, reading, common_engine(root, reading), scenario);
  finish_scenario(root, scenario);
  return scenario;
}

}  // namespace gpucap::scenario

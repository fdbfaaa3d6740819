#pragma once

#include "gpucap/catalog/json_document.hpp"
#include "gpucap/scenario/library.hpp"
#include "gpucap/scenario/scenario.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace gpucap::scenario {

using catalog::ObjectReader;

/// What every section may need while a document is read.
struct Reading {
  Library& library;
  std::filesystem::path folder;  ///< of the scenario file
};

void read_workload(ObjectReader workload, const Reading& reading, Scenario& scenario);
void read_loads(ObjectReader& root, const Reading& reading, Scenario& scenario);
EngineOptions read_engine_options(ObjectReader engine, const Reading& reading);
void read_candidates(ObjectReader& root, const Reading& reading, const EngineOptions& common,
                     Scenario& scenario);
void read_slo(ObjectReader slo, Scenario& scenario);

// --- what scenarios of every kind share
void read_billing(ObjectReader billing, Common& scenario);
void read_energy(ObjectReader energy, Common& scenario);
/// Name, format, seed, currency and date of a document, billing and energy.
void read_common(ObjectReader& root, Common& scenario);
/// The user's own calibrations, into the library; before anything asks it for engines or fits.
void read_calibrations(ObjectReader& root, const Reading& reading, Common& scenario);
/// After everything else: unknown keys, problems found so far, and the hash of the document.
void finish_scenario(ObjectReader& root, Common& scenario);
/// The host of a node whose file names none.
using HostRule =
    std::function<catalog::HostChoice(const catalog::HostBook&, const plan::Node& node)>;
/// Name, node, offer and price of a candidate.
void read_rented(ObjectReader& object, const Reading& reading, const HostRule& rule,
                 Rented& candidate);
void require_candidates(ObjectReader& root);
/// The last of the candidates must not bear the name of one before it.
template <class Candidate>
void refuse_namesake(ObjectReader& object, std::span<const Candidate> candidates) {
  const std::string& name = candidates.back().name;
  for (const Candidate& other : candidates.first(candidates.size() - 1)) {
    if (other.name != name) continue;
    object.problem("name", "two candidates are called \"" + name + "\"", "duplicate");
  }
}

/// The model of that name; a faulty one adds a problem at `key`.
std::optional<models::Transformer> read_model(ObjectReader& object, std::string_view key,
                                              const Reading& reading);
/// A Parsed value, or its failure as a problem at `key`.
template <class T>
std::optional<T> accept(ObjectReader& object, std::string_view key, const Parsed<T>& parsed) {
  if (parsed) return *parsed;
  object.problem(key, parsed.failure().message, parsed.failure().code);
  return std::nullopt;
}

/// More tokens, sequences or requests than this are a slip, and products of them would overflow.
constexpr std::int64_t largest_count = 1'000'000'000;
/// A whole number within bounds.
std::optional<std::int64_t> count_from(ObjectReader& object, std::string_view key,
                                       std::int64_t least = 1, std::int64_t most = largest_count);
/// A number of cards.
std::optional<int> cards_from(ObjectReader& object, std::string_view key);
/// A share above 0 and at most 1; "90 %" and 90 are answered with 0.9.
std::optional<double> share(ObjectReader& object, std::string_view key);
/// A number above 0 and at most `most`.
std::optional<double> positive(ObjectReader& object, std::string_view key, double most);
/// A path, relative to the file that states it.
std::filesystem::path path_from(ObjectReader& object, std::string_view key, const std::string& text,
                                const Reading& reading);

/// A word that only makes sense for a model is checked when it is planned; here only whether such
/// a format exists.
std::optional<std::string> read_format(catalog::ObjectReader& object, std::string_view key,
                                       const std::vector<std::string>& known);

}  // namespace gpucap::scenario

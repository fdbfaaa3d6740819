#include "gpucap/calibrate/samples_file.hpp"

#include "gpucap/catalog/json_document.hpp"
#include "gpucap/pricing/date.hpp"

#include "json_layout.hpp"
#include "work_words.hpp"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpucap::calibrate {
namespace {

using catalog::JsonDocument;
using catalog::ObjectReader;
using measure::Cache;
using measure::DeviceFacts;
using measure::DeviceState;
using measure::Sample;
using measure::Samples;
using measure::Skipped;
using Json = nlohmann::ordered_json;

constexpr const char* format_name = "gpucap-samples/1";

Json facts_of(const DeviceFacts& facts) {
  Json out;
  out["kind"] = facts.kind;
  out["name"] = facts.name;
  if (!facts.driver.empty()) out["driver"] = facts.driver;
  if (!facts.runtime.empty()) out["runtime"] = facts.runtime;
  if (!facts.compute_capability.empty()) out["compute_capability"] = facts.compute_capability;
  out["processors"] = facts.processors;
  out["memory_bytes"] = static_cast<std::int64_t>(facts.memory.base());
  out["cache_bytes"] = static_cast<std::int64_t>(facts.cache.base());
  if (facts.largest_clock) out["largest_clock_mhz"] = facts.largest_clock->in(unit::MHz);
  return out;
}

Json state_of(const DeviceState& state) {
  Json out = Json::object();
  if (state.clock) out["clock_mhz"] = state.clock->in(unit::MHz);
  if (state.memory_clock) out["memory_clock_mhz"] = state.memory_clock->in(unit::MHz);
  if (state.temperature_c) out["temperature_c"] = *state.temperature_c;
  if (state.power) out["power_w"] = rounded(state.power->in(unit::W), 5);
  if (!state.throttled.empty()) out["throttled"] = state.throttled;
  return out;
}

Json sample_of(const Sample& sample) {
  Json out;
  put_work(out, sample.work);
  out["implementation"] = sample.implementation;
  out["cache"] = sample.cache == Cache::cold ? "cold" : "warm";
  out["time_us"] = rounded(sample.time.in(unit::us), 6);
  out["fastest_us"] = rounded(sample.fastest.in(unit::us), 6);
  out["slowest_us"] = rounded(sample.slowest.in(unit::us), 6);
  out["batches"] = sample.batches;
  out["discarded"] = sample.discarded;
  out["error"] = rounded(sample.error, 2);
  if (sample.power) out["power_w"] = rounded(sample.power->in(unit::W), 5);
  return out;
}

Json skipped_of(const Skipped& skipped) {
  Json out;
  put_work(out, skipped.work);
  out["implementation"] = skipped.implementation;
  out["reason"] = skipped.reason;
  return out;
}

/// A number that is neither negative nor endless.
double amount(ObjectReader& in, const char* key) {
  const auto value = in.number(key);
  if (value && !(*value >= 0 && *value < 1e18)) {
    in.problem(key, fmt::format("{} is no amount", *value), "out-of-range");
  }
  return in.required(key, value);
}

/// A whole number of things that can be counted.
int small_count(ObjectReader& in, const char* key, std::int64_t least) {
  constexpr std::int64_t most = 1'000'000;
  const auto value = in.count(key);
  if (value && (*value < least || *value > most)) {
    in.problem(key, fmt::format("{} is not between {} and {}", *value, least, most),
               "out-of-range");
    return 1;
  }
  return static_cast<int>(in.required(key, value));
}

DeviceFacts read_facts(ObjectReader in) {
  DeviceFacts facts;
  facts.kind = in.required(
      "kind", in.choice<std::string>("kind", "kind of device", {{"cuda", "cuda"}, {"cpu", "cpu"}}));
  facts.name = in.required("name", in.text("name"));
  facts.driver = in.text("driver").value_or("");
  facts.runtime = in.text("runtime").value_or("");
  facts.compute_capability = in.text("compute_capability").value_or("");
  facts.processors = small_count(in, "processors", 1);
  facts.memory = amount(in, "memory_bytes") * unit::byte;
  facts.cache = amount(in, "cache_bytes") * unit::byte;
  if (const auto clock = in.number("largest_clock_mhz")) facts.largest_clock = *clock * unit::MHz;
  in.finish();
  return facts;
}

DeviceState read_state(ObjectReader in) {
  DeviceState state;
  if (const auto clock = in.number("clock_mhz")) state.clock = *clock * unit::MHz;
  if (const auto clock = in.number("memory_clock_mhz")) state.memory_clock = *clock * unit::MHz;
  state.temperature_c = in.number("temperature_c");
  if (const auto power = in.number("power_w")) state.power = *power * unit::W;
  state.throttled = in.text("throttled").value_or("");
  in.finish();
  return state;
}

Sample read_sample(ObjectReader in) {
  Sample sample;
  sample.work = read_work(in);
  sample.implementation = in.required("implementation", in.text("implementation"));
  sample.cache =
      in.required("cache", in.choice<Cache>("cache", "state of the cache",
                                            {{"cold", Cache::cold}, {"warm", Cache::warm}}));
  sample.time = amount(in, "time_us") * unit::us;
  sample.fastest = amount(in, "fastest_us") * unit::us;
  sample.slowest = amount(in, "slowest_us") * unit::us;
  if (sample.fastest > sample.time || sample.time > sample.slowest) {
    in.problem("time_us", "does not lie between the fastest and the slowest batch",
               "contradiction");
  }
  sample.batches = small_count(in, "batches", 1);
  sample.discarded = small_count(in, "discarded", 0);
  sample.error = amount(in, "error");
  if (sample.error > 0.1) {
    in.problem("error", "a result so far from its reference is no sample", "out-of-range");
  }
  if (const auto power = in.number("power_w")) sample.power = *power * unit::W;
  in.finish();
  return sample;
}

Skipped read_skipped(ObjectReader in) {
  Skipped skipped;
  skipped.work = read_work(in);
  skipped.implementation = in.required("implementation", in.text("implementation"));
  skipped.reason = in.required("reason", in.text("reason"));
  in.finish();
  return skipped;
}

void read_head(ObjectReader& root, Samples& samples) {
  root.required("format", root.choice<int>("format", "format", {{format_name, 1}}));
  samples.version = root.text("version").value_or("");
  samples.date = root.required("date", root.text("date"));
  if (root.has("date") && !pricing::Date::parse(samples.date)) {
    root.problem("date", fmt::format("\"{}\" is no date such as 2026-08-22", samples.date),
                 "wrong-date");
  }
  samples.elapsed = amount(root, "elapsed_s") * unit::s;
  samples.complete = root.required("complete", root.flag("complete"));
  samples.ended_by = root.text("ended_by").value_or("");
  if (auto device = root.object("device")) samples.device = read_facts(std::move(*device));
  root.required("device", root.has("device") ? std::optional(1) : std::nullopt);
  if (auto before = root.object("before")) samples.before = read_state(std::move(*before));
  if (auto after = root.object("after")) samples.after = read_state(std::move(*after));
}

}  // namespace

std::string samples_json(const Samples& samples) {
  Json root;
  root["format"] = format_name;
  root["version"] = samples.version;
  root["date"] = samples.date;
  root["device"] = facts_of(samples.device);
  root["before"] = state_of(samples.before);
  root["after"] = state_of(samples.after);
  root["elapsed_s"] = rounded(samples.elapsed.in(unit::s), 4);
  root["complete"] = samples.complete;
  if (!samples.complete) root["ended_by"] = samples.ended_by;
  root["samples"] = Json::array();
  for (const Sample& sample : samples.samples) root["samples"].push_back(sample_of(sample));
  root["skipped"] = Json::array();
  for (const Skipped& skipped : samples.skipped) root["skipped"].push_back(skipped_of(skipped));
  return laid_out(root) + "\n";
}

Samples read_samples(const std::filesystem::path& path) {
  JsonDocument document = JsonDocument::read(path.string());
  ObjectReader root(document);
  Samples samples;
  read_head(root, samples);
  for (ObjectReader& in : root.objects("samples")) {
    samples.samples.push_back(read_sample(std::move(in)));
  }
  for (ObjectReader& in : root.objects("skipped")) {
    samples.skipped.push_back(read_skipped(std::move(in)));
  }
  if (samples.samples.empty()) root.problem("samples", "there is none", "no-samples");
  root.finish();
  document.throw_if_problems();
  return samples;
}

}  // namespace gpucap::calibrate

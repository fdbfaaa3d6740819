#include "sections.hpp"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpucap::scenario {
namespace {

using workload::Arrivals;
using workload::LengthDistribution;

constexpr double largest_scale = 1e6;

std::optional<LengthDistribution> lengths_of_kind(ObjectReader object) {
  const auto kind = object.text("kind");
  std::optional<LengthDistribution> lengths;
  if (kind == "lognormal") {
    const double mean = object.required("mean", object.number("mean"));
    const double p95 = object.required("p95", object.number("p95"));
    lengths = accept(object, "p95", LengthDistribution::lognormal(mean, p95));
  } else if (kind == "uniform") {
    const auto low = object.required("low", object.count("low"));
    const auto high = object.required("high", object.count("high"));
    lengths = accept(object, "high", LengthDistribution::uniform(low, high));
  } else if (kind == "exponential") {
    const double mean = object.required("mean", object.number("mean"));
    const auto max = object.required("max", object.count("max"));
    lengths = accept(object, "mean", LengthDistribution::exponential(mean, max));
  } else {
    object.choice<int>("kind", "kind", {{"lognormal", 0}, {"uniform", 0}, {"exponential", 0}});
    if (!kind) object.required("kind", kind);
  }
  object.finish();
  return lengths;
}

/// A count, a text such as "uniform:100..200", or an object with `kind`.
std::optional<LengthDistribution> read_lengths(ObjectReader& object, std::string_view key,
                                               const Reading& reading) {
  const nlohmann::json* value = object.raw(key);
  if (value == nullptr) {
    object.required(key, std::optional<int>{});
    return std::nullopt;
  }
  if (value->is_object()) return lengths_of_kind(*object.object(key));
  if (value->is_string()) {
    auto text = value->get<std::string>();
    if (const std::string empirical = "empirical:"; text.starts_with(empirical)) {
      text = empirical + path_from(object, key, text.substr(empirical.size()), reading).string();
    }
    return accept(object, key, workload::parse_lengths(text));
  }
  const auto tokens = object.count(key);
  if (!tokens) return std::nullopt;
  return accept(object, key, LengthDistribution::constant(*tokens));
}

/// Below a hundredth nearly all requests come at one instant, then none for ages.
std::optional<double> read_burstiness(ObjectReader& arrivals) {
  constexpr double least = 0.01, most = 1000;
  const auto burstiness = positive(arrivals, "burstiness", most);
  if (!burstiness || *burstiness <= 0 || *burstiness >= least) return burstiness;
  arrivals.problem("burstiness", fmt::format("{} is too small; at least {}", *burstiness, least),
                   "out-of-range");
  return burstiness;
}

std::optional<Arrivals> read_arrivals(ObjectReader object, Generated& generated) {
  enum class Kind { poisson, gamma, constant, all_at_once, closed_loop };
  const auto kind =
      object.required("kind", object.choice<Kind>("kind", "kind",
                                                  {{"poisson", Kind::poisson},
                                                   {"gamma", Kind::gamma},
                                                   {"constant", Kind::constant},
                                                   {"all-at-once", Kind::all_at_once},
                                                   {"closed-loop", Kind::closed_loop}}));
  generated.even_gaps = kind == Kind::constant;
  std::optional<Arrivals> arrivals;
  const bool has_rate = object.has("rate");
  const auto rate = object.quantity("rate", parse_rate);
  generated.rate = rate;
  if (kind == Kind::gamma) {
    generated.burstiness = object.required("burstiness", read_burstiness(object));
  }
  if (kind == Kind::all_at_once) arrivals = Arrivals::all_at_once();
  if (kind == Kind::closed_loop) {
    const auto clients = object.required("clients", count_from(object, "clients"));
    arrivals = accept(object, "clients", Arrivals::closed_loop(clients));
  }
  if (rate && kind == Kind::poisson) arrivals = accept(object, "rate", Arrivals::poisson(*rate));
  if (rate && kind == Kind::constant) arrivals = accept(object, "rate", Arrivals::constant(*rate));
  if (rate && kind == Kind::gamma && *generated.burstiness > 0) {
    arrivals = accept(object, "rate", Arrivals::gamma(*rate, *generated.burstiness));
  }
  generated.rateless = kind == Kind::all_at_once || kind == Kind::closed_loop;
  if (has_rate && generated.rateless) {
    object.problem("rate", "such arrivals have no rate", "contradiction");
  }
  object.finish();
  return arrivals;
}

std::optional<workload::SharedPrefix> read_shared_prefix(ObjectReader object) {
  workload::SharedPrefix prefix;
  prefix.tokens = object.required("tokens", count_from(object, "tokens"));
  prefix.groups = count_from(object, "groups").value_or(prefix.groups);
  object.finish();
  return prefix;
}

Replayed read_trace(ObjectReader object, const Reading& reading, Scenario& scenario) {
  Replayed trace;
  const auto file = object.required("file", object.text("file"));
  trace.file = path_from(object, "file", file, reading);
  const auto format = object.required("format", object.text("format"));
  if (!format.empty()) {
    trace.options.format = accept(object, "format", workload::parse_trace_format(format))
                               .value_or(trace.options.format);
  }
  trace.options.block_tokens = count_from(object, "block_tokens");
  trace.options.rate_scale = positive(object, "rate_scale", largest_scale).value_or(1);
  trace.options.limit = count_from(object, "requests");
  trace.clients = count_from(object, "clients");
  object.finish();
  if (file.empty()) return trace;
  try {
    trace.content = std::make_shared<workload::TraceFile>(trace.file, trace.options);
    scenario.inputs_sha256[file] = trace.content->sha256();
  } catch (const InputError& error) {
    object.problem("file", fmt::format("{}: {}", trace.file.string(), error.problems()[0].message),
                   error.problems()[0].code);
  }
  return trace;
}

/// An encoder answers with its one pass: there is nothing to draw.
void read_no_output(ObjectReader& workload, const std::string& model) {
  const nlohmann::json* value = workload.raw("output_tokens");
  if (value == nullptr || *value == 0 || *value == "0") return;
  workload.problem("output_tokens",
                   model + " is an encoder and has no output tokens; write 0 or leave it out",
                   "contradiction");
}

Generated read_generated(ObjectReader& workload, const Reading& reading,
                         const models::Transformer& model) {
  const auto one = *LengthDistribution::constant(1);
  Generated generated{.prompt_tokens = one, .output_tokens = one};
  generated.requests = count_from(workload, "requests").value_or(generated.requests);
  generated.prompt_tokens = read_lengths(workload, "prompt_tokens", reading).value_or(one);
  if (model.encoder) {
    read_no_output(workload, model.id);
  } else {
    generated.output_tokens = read_lengths(workload, "output_tokens", reading).value_or(one);
  }
  if (auto arrivals = workload.object("arrivals")) {
    generated.arrivals = read_arrivals(*arrivals, generated);
  }
  if (auto prefix = workload.object("shared_prefix")) {
    generated.shared_prefix = read_shared_prefix(*prefix);
  }
  return generated;
}

}  // namespace

std::optional<models::Transformer> read_model(ObjectReader& object, std::string_view key,
                                              const Reading& reading) {
  const auto name = object.text(key);
  if (!name) return std::nullopt;
  const bool is_path = name->find('/') != std::string::npos || name->ends_with(".json");
  try {
    return reading.library.models().find(is_path ? path_from(object, key, *name, reading).string()
                                                 : *name);
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) {
      const std::string where = problem.pointer.empty() ? "" : problem.pointer + ": ";
      object.problem(key, is_path ? problem.file + ": " + where + problem.message : problem.message,
                     problem.code);
    }
    return std::nullopt;
  }
}

void read_workload(ObjectReader workload, const Reading& reading, Scenario& scenario) {
  workload.required("kind", workload.choice<int>("kind", "kind of workload", {{"serving", 0}}));
  scenario.model = workload.required("model", read_model(workload, "model", reading));
  if (auto trace = workload.object("trace")) {
    scenario.requests = read_trace(*trace, reading, scenario);
  } else {
    scenario.requests = read_generated(workload, reading, scenario.model);
  }
  // Read with the engine's options, where they are merged.
  workload.text("weight_dtype");
  workload.text("kv_dtype");
  workload.finish();
}

void read_loads(ObjectReader& root, const Reading& reading, Scenario& scenario) {
  for (ObjectReader& object : root.objects("loads")) {
    LoadSpec load;
    load.pointer = object.pointer();
    load.name = object.required("name", object.text("name"));
    load.rate = object.quantity("rate", parse_rate);
    if (load.rate && !(load.rate->base() > 0)) {
      object.problem("rate", "a rate must be above 0", "out-of-range");
    }
    load.rate_scale = positive(object, "rate_scale", largest_scale);
    load.clients = count_from(object, "clients");
    load.model = read_model(object, "model", reading);
    load.weight_dtype = read_format(object, "weight_dtype", models::weight_format_names());
    const bool replayed = std::holds_alternative<Replayed>(scenario.requests);
    if (load.rate && replayed) {
      object.problem("rate", "a trace has its own rate; write \"rate_scale\"", "contradiction");
    }
    const auto* generated = std::get_if<Generated>(&scenario.requests);
    const bool rateless = generated != nullptr && generated->rateless;
    if (load.rate && rateless) {
      object.problem("rate", "arrivals of this kind have no rate", "contradiction");
    }
    if (load.rate_scale && !replayed) {
      object.problem("rate_scale", "only a trace is scaled; write \"rate\"", "contradiction");
    }
    for (const LoadSpec& other : scenario.loads) {
      if (other.name == load.name) {
        object.problem("name", fmt::format("two loads are called \"{}\"", load.name), "duplicate");
      }
    }
    object.finish();
    scenario.loads.push_back(std::move(load));
  }
}

}  // namespace gpucap::scenario

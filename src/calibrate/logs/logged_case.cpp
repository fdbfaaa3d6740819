#include "gpucap/calibrate/logged_case.hpp"

#include "gpucap/calibrate/log_card.hpp"
#include "gpucap/hardware/measuring_tolerance.hpp"
#include "gpucap/perf/roofline.hpp"
#include "gpucap/scenario/read.hpp"
#include "gpucap/scenario/settings.hpp"
#include "gpucap/scenario/study.hpp"
#include "gpucap/workload/generator.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace gpucap::calibrate {
namespace {

using hardware::measuring_tolerance;

constexpr double usual_tail = 3;  // p95 over mean of chat lengths: exponential 3.0, ShareGPT 3 to 4

bool at_once(const ServedRun& run) {
  return run.request_rate && std::isinf(run.request_rate->in(unit::per_s));
}

/// A distribution of the mean of a run, in words of the option.
std::string spread_around(double mean) {
  if (mean == std::floor(mean)) return fmt::format("{}", static_cast<std::int64_t>(mean));
  return fmt::format("lognormal:mean={:.6g},p95={:.6g}", mean, usual_tail * mean);
}

double mean_of(std::int64_t sum, std::int64_t count) {
  return static_cast<double>(sum) / static_cast<double>(count);
}

/// Lengths by the order of what is known best.
void add_lengths(const LogSetup& setup, LoggedCase& logged, scenario::Options& options) {
  const ServedRun& run = logged.run;
  const auto add = [&](const char* option, const std::optional<std::string>& stated,
                       std::int64_t sum, const char* what) {
    const double mean = mean_of(sum, run.completed);
    if (!run.prompt_lengths.empty()) {
      options.emplace_back(option, fmt::format("{:.0f}", std::max(1.0, mean)));
      return;
    }
    options.emplace_back(option, stated.value_or(spread_around(mean)));
    if (stated || mean == std::floor(mean)) return;
    logged.guessed_lengths = true;
    logged.notes.push_back(
        fmt::format("{}: the log has the mean length of {} only, {:.1f} tokens: taken as lognormal "
                    "with a 95th percentile of {:g} times that, and throughput, which hangs on the "
                    "longest, decides nothing; --{} says otherwise",
                    run.name, what, mean, usual_tail, option));
  };
  add("prompt-tokens", setup.prompt_tokens, run.input_tokens, "prompts");
  add("output-tokens", setup.output_tokens, run.output_tokens, "answers");
}

/// As options of `estimate serving`; rates and lengths of the log are put in at the run.
void add_arrivals(const ServedRun& run, scenario::Options& options) {
  options.emplace_back("requests", fmt::format("{}", run.completed));
  if (!at_once(run)) {
    options.emplace_back("request-rate", fmt::format("{}", run.request_rate->in(unit::per_s)));
  } else if (run.clients) {
    options.emplace_back("concurrency", fmt::format("{}", *run.clients));
  } else {
    options.emplace_back("all-at-once", "");
  }
}

workload::Arrivals arrivals_of(const ServedRun& run) {
  using workload::Arrivals;
  if (!at_once(run)) return *Arrivals::gamma(*run.request_rate, run.burstiness);
  return run.clients ? *Arrivals::closed_loop(*run.clients) : Arrivals::all_at_once();
}

/// The lengths that a log has, in its order, under arrivals of its rate.
class LoggedRequests : public workload::RequestStream {
 public:
  LoggedRequests(const ServedRun& run, std::uint64_t seed)
      : run_(run), clock_(seed, arrivals_of(run)) {}

  std::optional<workload::Request> next() override {
    const auto i = static_cast<std::size_t>(given_);
    if (i >= run_.prompt_lengths.size()) return std::nullopt;
    workload::Request request;
    request.id = given_++;
    request.arrival = clock_.next();
    request.prompt_tokens = run_.prompt_lengths[i];
    request.output_tokens = run_.output_lengths[i];
    return request;
  }

 private:
  const ServedRun& run_;
  workload::ArrivalClock clock_;
  std::int64_t given_ = 0;
};

workload::Load load_of(const LoggedCase& logged, std::uint64_t seed) {
  const ServedRun& run = logged.run;
  if (!run.prompt_lengths.empty()) {
    workload::Load load{std::make_unique<LoggedRequests>(run, seed), std::nullopt};
    if (at_once(run)) load.clients = run.clients;
    return load;
  }
  const auto& generated = std::get<scenario::Generated>(logged.asked.requests);
  return workload::generate({seed, run.completed, arrivals_of(run), generated.prompt_tokens,
                             generated.output_tokens, std::nullopt});
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string model_for(const ServedRun& run, const LogSetup& setup, scenario::Library& library,
                      std::vector<std::string>& notes) {
  if (setup.model) return *setup.model;
  if (run.model.empty()) {
    throw InputError(
        run.problem("", "the log does not name its model; --model does", "missing-option"));
  }
  const std::string id = model_id_of(run.model, library.models());
  if (id.empty()) {
    throw InputError(
        run.problem("model_id",
                    fmt::format("unknown model \"{}\"; --model names one that is known, or the "
                                "path of its config.json",
                                run.model),
                    "unknown-name"));
  }
  if (id != run.model) notes.push_back(fmt::format("model \"{}\" is taken as {}", run.model, id));
  return id;
}

/// The rate must come from somewhere: arrivals decide how many sequences run at once.
ServedRun with_rate(ServedRun run, const LogSetup& setup) {
  if (run.request_rate) return run;
  if (run.clients && !setup.request_rate) {
    run.request_rate = INFINITY * unit::per_s;
    return run;
  }
  if (!setup.request_rate) {
    throw InputError(
        run.problem("", "the log does not say how requests arrived; --request-rate R or inf does",
                    "missing-option"));
  }
  run.request_rate = setup.request_rate;
  return run;
}

/// A test may use every position of a model; one is left for the other side of the request.
void keep_within(ServedRun& run, const models::Transformer& model) {
  if (run.completed != 1 || run.input_tokens + run.output_tokens <= model.max_positions) return;
  auto& longer = run.input_tokens > run.output_tokens ? run.input_tokens : run.output_tokens;
  longer -= run.input_tokens + run.output_tokens - model.max_positions;
}

/// What the log says of itself and the case is not.
void check_case(const LoggedCase& logged) {
  const ServedRun& run = logged.run;
  const hardware::Gpu& gpu = logged.planned.plan.question.node.gpu;
  const models::Transformer& model = logged.asked.model;
  std::vector<Problem> problems;
  if (!run.gpu.empty() && !is_named(gpu, run.gpu)) {
    problems.push_back(run.problem(
        "gpu_info", fmt::format("ran on \"{}\", but --gpu is {}", run.gpu, gpu.id), "other-card"));
  }
  const auto count = static_cast<double>(models::parameters(model));
  constexpr double same_model = 0.03;  // rotary tables, tied embeddings
  if (run.parameters && std::fabs(static_cast<double>(*run.parameters) / count - 1) > same_model) {
    problems.push_back(
        run.problem("model_n_params",
                    fmt::format("the model of the log has {:.4g} parameters, {} has {:.4g}",
                                static_cast<double>(*run.parameters), model.id, count),
                    "other-model"));
  }
  if (run.layers_on_card && *run.layers_on_card < model.layers) {
    problems.push_back(
        run.problem("n_gpu_layers",
                    fmt::format("{} of {} layers ran on the card, the others on the processor",
                                *run.layers_on_card, model.layers),
                    "wrong-device"));
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

/// Formats and steps that the log knows and no option says.
void add_engine_settings(const ServedRun& run, scenario::Options& options) {
  if (!run.weight_format.empty() && !scenario::value_of(options, "weight-dtype")) {
    options.emplace_back("weight-dtype", run.weight_format);
  }
  if (run.step_tokens && !scenario::value_of(options, "max-num-batched-tokens")) {
    options.emplace_back("max-num-batched-tokens", fmt::format("{}", *run.step_tokens));
  }
}

/// One token after a prompt of one token, by ideal kernels and no host.
Seconds least_step(const LoggedCase& logged) {
  plan::ServingQuestion question = logged.planned.plan.question;
  question.calibration = perf::roofline(question.calibration);
  question.engine.profile.host = {};
  evaluate::ServingCase ideal = logged.planned;
  ideal.plan = plan::plan_serving(std::move(question));
  ideal.constant_tokens.reset();
  const auto one = *workload::LengthDistribution::constant(1);
  const auto two = *workload::LengthDistribution::constant(2);
  const auto outcome = evaluate::evaluate(
      ideal, workload::generate({0, 1, workload::Arrivals::all_at_once(), one, two, std::nullopt}));
  return outcome.tpot_s.mean.value_or(0) * unit::s;
}

}  // namespace

std::string model_id_of(const std::string& logged, const catalog::ModelBook& models) {
  std::string name = logged.substr(logged.find_last_of('/') + 1);
  name = lower(name);
  if (name.starts_with("meta-llama-")) name.erase(0, 5);
  constexpr std::array endings{"-instruct", "-chat", "-hf",   "-it",   "-base", "-preview",
                               "-v0.1",     "-v0.2", "-v0.3", "-2407", "-2507"};
  for (bool stripped = true; stripped;) {
    if (models.knows(name)) return name;
    stripped = false;
    for (const std::string_view ending : endings) {
      if (!name.ends_with(ending)) continue;
      name.resize(name.size() - ending.size());
      stripped = true;
      break;
    }
  }
  return "";
}

LoggedCase plan_logged(const ServedRun& run, const LogSetup& setup, scenario::Library& library) {
  LoggedCase logged;
  logged.run = with_rate(run, setup);
  scenario::Options options = setup.options;
  const std::string model = model_for(run, setup, library, logged.notes);
  options.emplace_back("model", model);
  if (library.models().knows(model)) keep_within(logged.run, library.models().find(model));
  add_engine_settings(run, options);
  add_lengths(setup, logged, options);
  add_arrivals(logged.run, options);
  auto document = scenario::document_from("log", "serving", scenario::settings_of(options));
  logged.asked = scenario::read_scenario(document, "", library);
  logged.asked.seed = setup.seed;
  logged.planned = scenario::plan_study(logged.asked, library).at(0).cases.at(0);
  if (!logged.planned.plan.feasible) {
    throw InputError(run.problem(
        "", fmt::format("this engine could not have started: {}", logged.planned.plan.reason),
        "impossible"));
  }
  check_case(logged);
  if (!run.prompt_lengths.empty()) logged.planned.constant_tokens.reset();
  if (run.clients && !at_once(logged.run)) {
    logged.notes.push_back(run.name + ": the client's limit on requests in flight is not modelled");
  }
  return logged;
}

std::vector<Problem> impossible(const LoggedCase& logged) {
  std::vector<Problem> problems;
  const plan::ServingQuestion& asked = logged.planned.plan.question;
  const Seconds least = least_step(logged) / (1 + measuring_tolerance);
  for (const char* statistic : {"mean", "p50"}) {
    const LoggedFigure* tpot = logged.run.figure("tpot", statistic);
    if (tpot == nullptr || tpot->value * unit::s >= least) continue;
    problems.push_back(logged.run.problem(
        fmt::format("tpot {}", statistic),
        fmt::format("{:.4g} ms per token, but reading {} as {} once at the full {:.4g} GB/s of {} "
                    "takes {:.4g} ms",
                    1e3 * tpot->value, asked.model.id, asked.engine.weights.name,
                    asked.node.gpu.memory_bandwidth.in(unit::GB_per_s), asked.node.gpu.id,
                    least.in(unit::ms)),
        "impossible"));
  }
  const auto tokens = static_cast<double>(logged.run.input_tokens + logged.run.output_tokens);
  const double rate = tokens / logged.run.duration.in(unit::s);
  const Dtype dtype = asked.engine.weights.compute;
  if (!asked.node.gpu.computes_in(dtype)) return problems;
  const Flops per_token =
      2.0 * static_cast<double>(models::matmul_parameters(asked.model)) * unit::flop;
  const FlopRate peak = asked.node.gpu.peak(dtype) * asked.node.count * (1 + measuring_tolerance);
  const double most = (peak / per_token).in(unit::per_s);
  if (rate > most) {
    problems.push_back(logged.run.problem(
        "throughput total tok/s",
        fmt::format("{:.5g} tokens per second, but the peak of {} x {} is {:.5g} tokens of {}",
                    rate, asked.node.count, asked.node.gpu.id, most, asked.model.id),
        "impossible"));
  }
  return problems;
}

evaluate::Outcome repeat(const LoggedCase& logged, const plan::ServingPlan& plan, int draw) {
  evaluate::ServingCase one = logged.planned;
  one.plan = plan;
  return evaluate::evaluate(one,
                            load_of(logged, logged.asked.seed + static_cast<std::uint64_t>(draw)));
}

}  // namespace gpucap::calibrate

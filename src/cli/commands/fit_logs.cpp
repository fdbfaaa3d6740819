#include "fit_logs.hpp"

#include "gpucap/calibrate/calibration_file.hpp"
#include "gpucap/calibrate/log_fit.hpp"
#include "gpucap/calibrate/log_parts.hpp"
#include "gpucap/calibrate/served_run.hpp"
#include "gpucap/catalog/data_dir.hpp"
#include "gpucap/cli/option_words.hpp"
#include "gpucap/core/file.hpp"
#include "gpucap/scenario/options.hpp"

#include <limits>
#include <set>
#include <tuple>

#include "fit_power.hpp"
#include "log_tables.hpp"
#include <fmt/format.h>

namespace gpucap::cli {
namespace {

using calibrate::LoggedCase;
using calibrate::LogSetup;
using calibrate::ServedRun;

enum class LogKind : std::uint8_t { vllm_bench, llama_bench, nvidia_smi };

const std::vector<std::pair<std::string, LogKind>> kinds{{"vllm-bench", LogKind::vllm_bench},
                                                         {"llama-bench", LogKind::llama_bench},
                                                         {"nvidia-smi", LogKind::nvidia_smi}};

/// Runs of all files; the problems of all are told together.
template <class Run>
std::vector<Run> read_all(const std::vector<std::string>& files,
                          std::vector<Run> (*read)(const std::filesystem::path&)) {
  std::vector<Run> all;
  std::vector<Problem> problems;
  for (const std::string& file : files) {
    try {
      for (Run& run : read(file)) all.push_back(std::move(run));
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return all;
}

std::optional<Frequency> rate_of(Arguments& arguments) {
  const auto word = arguments.text("request-rate");
  if (!word) return std::nullopt;
  if (*word == "inf") return std::numeric_limits<double>::infinity() * unit::per_s;
  const auto rate = arguments.value<double>("request-rate", parse_number);
  if (rate && !(*rate > 0)) {
    arguments.problem("request-rate", "must be above zero, or inf", "out-of-range");
  }
  return rate ? std::optional(*rate * unit::per_s) : std::nullopt;
}

/// Everything that the options say; what is missing is a problem.
LogSetup setup_of(Arguments& arguments, LogKind kind) {
  LogSetup setup;
  for (const char* needed : {"gpu", "out"}) {
    if (!arguments.has(needed)) arguments.problem(needed, "is missing", "missing-option");
  }
  if (kind == LogKind::vllm_bench && !arguments.has("engine")) {
    arguments.problem("engine",
                      "is missing: such logs do not name the engine's version, and host times "
                      "belong to one; \"gpucap engines list\" has the ids",
                      "missing-option");
  }
  for (const char* plain : {"gpu", "engine", "host", "count", "tensor-parallel", "weight-dtype",
                            "kv-dtype", "max-num-seqs", "max-num-batched-tokens", "max-model-len",
                            "gpu-memory-utilization", "kv-cache-tokens"}) {
    if (const auto value = arguments.text(plain)) setup.options.emplace_back(plain, *value);
  }
  if (kind == LogKind::llama_bench && !arguments.has("engine")) {
    setup.options.emplace_back("engine", "llama-cpp");  // there is one profile of it
  }
  setup.model = arguments.text("model");
  setup.prompt_tokens = arguments.text("prompt-tokens");
  setup.output_tokens = arguments.text("output-tokens");
  setup.request_rate = rate_of(arguments);
  setup.seed = static_cast<std::uint64_t>(arguments.count("seed", 0).value_or(0));
  return setup;
}

/// One model in one format a call: neither may change from run to run.
void require_one_model(const std::vector<ServedRun>& runs) {
  std::vector<Problem> problems;
  for (const ServedRun& run : runs) {
    if (run.weight_format != runs.front().weight_format) {
      problems.push_back(
          run.problem("model_type",
                      fmt::format("weights in \"{}\", but {} had \"{}\"; fit one format a call",
                                  run.weight_format, runs.front().name, runs.front().weight_format),
                      "mixed-models"));
    }
    if (run.model == runs.front().model) continue;
    problems.push_back(
        run.problem("model_id",
                    fmt::format("\"{}\", but {} is a run of \"{}\"; fit one model a call",
                                run.model, runs.front().name, runs.front().model),
                    "mixed-models"));
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

bool same_run(const ServedRun& a, const ServedRun& b) {
  const auto same = [](const calibrate::LoggedFigure& one, const calibrate::LoggedFigure& other) {
    return one.metric == other.metric && one.statistic == other.statistic &&
           one.value == other.value;
  };
  return a.duration == b.duration && a.input_tokens == b.input_tokens &&
         a.output_tokens == b.output_tokens &&
         std::equal(a.figures.begin(), a.figures.end(), b.figures.begin(), b.figures.end(), same);
}

/// A run that is given twice is no second piece of evidence.
void refuse_repeated(const std::vector<ServedRun>& runs) {
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (!same_run(runs[i], runs[k])) continue;
      problems.push_back(
          runs[i].problem("", fmt::format("is the same run as {}: a run counts once", runs[k].name),
                          "repeated-run"));
      break;
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

std::vector<LoggedCase> plan_all(const std::vector<ServedRun>& runs, const LogSetup& setup,
                                 scenario::Library& library) {
  std::vector<LoggedCase> cases;
  std::vector<Problem> problems;
  std::set<std::string> lines;  // what is wrong with an option is wrong for every run
  const auto add = [&](const std::vector<Problem>& found) {
    for (const Problem& problem : found) {
      if (lines.insert(problem.line()).second) problems.push_back(problem);
    }
  };
  for (const ServedRun& run : runs) {
    try {
      cases.push_back(calibrate::plan_logged(run, setup, library));
      add(calibrate::impossible(cases.back()));
    } catch (const InputError& error) {
      const auto said = in_words_of_options(
          error, [](const std::string& pointer) { return scenario::option_at(pointer); });
      add(said.problems());
    }
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return cases;
}

/// llama-bench knows formats that are not known here.
void require_known_format(const std::vector<ServedRun>& runs, const LogSetup& setup) {
  if (scenario::value_of(setup.options, "weight-dtype")) return;
  for (const ServedRun& run : runs) {
    if (!run.weight_format.empty()) continue;
    throw InputError(run.problem(
        "model_type", "weights in a format that is not known here; --weight-dtype says which",
        "unknown-name"));
  }
}

/// The latest day of the runs.
std::string date_of(const std::vector<ServedRun>& runs) {
  std::string latest;
  for (const ServedRun& run : runs) latest = std::max(latest, run.date);
  return latest;
}

void say_notes(const std::vector<LoggedCase>& cases, Console& console) {
  std::set<std::string> said;
  for (const LoggedCase& one : cases) {
    for (const std::string& note : one.notes) {
      if (said.insert(note).second) console.note("note: " + note);
    }
  }
}

constexpr const char* far_off =
    "more than host and card explain; are card, model, engine and units those of the log?";

/// Median of |predicted / measured - 1| with the numbers in force.
double off(const calibrate::LogFit& fit) {
  std::vector<double> errors;
  for (const calibrate::LogError& error : fit.errors) {
    errors.push_back(std::fabs(error.before / error.measured - 1));
  }
  if (errors.empty()) return 0;
  std::nth_element(errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2),
                   errors.end());
  return errors[errors.size() / 2];
}

/// The order of files is no information, and random streams go by place.
void sort_runs(std::vector<ServedRun>& runs) {
  const auto key = [](const ServedRun& run) {
    const double rate = run.request_rate ? run.request_rate->base() : 0;
    return std::tuple(rate, run.clients.value_or(0), run.duration.base(), run.output_tokens);
  };
  std::stable_sort(runs.begin(), runs.end(),
                   [&](const ServedRun& a, const ServedRun& b) { return key(a) < key(b); });
}

Exit fit_served(std::vector<ServedRun> runs, const LogSetup& setup, const std::string& kind,
                const std::string& out, Console& console) {
  scenario::Library library(catalog::data_directory());
  require_one_model(runs);
  refuse_repeated(runs);
  sort_runs(runs);
  const auto cases = plan_all(runs, setup, library);
  std::vector<std::string> left;
  const auto fit = calibrate::fit_logs(cases, calibrate::sought_in(cases.front(), left));
  const auto& asked = cases.front().planned.plan.question;
  const std::string words =
      fmt::format("{} {} of {} with {}, {} x {}", runs.size(), runs.size() == 1 ? "run" : "runs",
                  asked.model.id, asked.engine.profile.id, asked.node.count, asked.node.gpu.id);
  const auto file =
      calibrate::calibration_of(fit, asked.node.gpu, kind + " logs", words, date_of(runs));
  if (file.fitted.parts.empty() && !file.engine) {
    throw InputError(Problem{
        runs.front().file, "", "",
        fmt::format("these logs identify no number better than it is known; "
                    "the numbers in force are off by {:.0f} % in the median: {}",
                    100 * off(fit), off(fit) > 0.3 ? far_off : "more runs, at other rates, might"),
        "nothing-identified"});
  }
  write_file(out, calibrate::calibration_json(file));
  print_log_fit(fit, console);
  say_notes(cases, console);
  for (const std::string& line : left) console.note("not sought: " + line);
  return Exit::done;
}

}  // namespace

std::vector<Option> log_options() {
  std::vector<Option> options{
      {"from", "KIND", "SAMPLES are logs: vllm-bench, llama-bench or nvidia-smi"},
      {"engine", "E", "engine and version of the logs, such as vllm-0.8.5"},
      {"model", "M", "model of the logs (default: the one that they name)"},
      {"count", "N", "cards (default: what tensor parallelism needs)"},
      {"tensor-parallel", "N", "cards that shared each layer"},
      {"weight-dtype", "D", "format of the weights that ran"},
      {"kv-dtype", "D", "format of the KV cache"},
      {"max-num-seqs", "N", "the engine's setting, as it was"},
      {"max-num-batched-tokens", "N", "the engine's setting, as it was"},
      {"max-model-len", "N|auto", "the engine's setting, as it was"},
      {"gpu-memory-utilization", "X", "the engine's setting, as it was"},
      {"kv-cache-tokens", "N", "KV cache that the engine logged"},
      {"prompt-tokens", "DIST", "lengths of prompts that a log has the mean of only"},
      {"output-tokens", "DIST", "the same for answers"},
      {"request-rate", "R|inf", "arrivals per second of runs that do not say"},
      {"seed", "N", "of lengths and arrivals that are drawn"}};
  for (Option& option : power_options()) options.push_back(std::move(option));
  return options;
}

Exit fit_from_logs(Arguments& arguments, Console& console) {
  const auto kind = arguments.choice<LogKind>("from", kinds);
  arguments.throw_if_problems();
  const LogSetup setup = setup_of(arguments, *kind);
  arguments.throw_if_problems();
  const std::string out = *arguments.text("out");
  if (*kind == LogKind::nvidia_smi) {
    const Exit exit = fit_power_log(arguments, console);
    console.note("written: " + out);
    return exit;
  }
  const auto runs =
      read_all(arguments.operands(), *kind == LogKind::llama_bench ? calibrate::read_llama_bench
                                                                   : calibrate::read_vllm_bench);
  if (*kind == LogKind::llama_bench) require_known_format(runs, setup);
  const Exit exit = fit_served(runs, setup, *arguments.text("from"), out, console);
  console.note("written: " + out);
  return exit;
}

}  // namespace gpucap::cli

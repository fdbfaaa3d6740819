#include "gpucap/calibrate/store.hpp"
#include "gpucap/catalog/data_dir.hpp"
#include "gpucap/catalog/fits.hpp"
#include "gpucap/catalog/gpus.hpp"
#include "gpucap/cli/calibrate_commands.hpp"
#include "gpucap/core/file.hpp"
#include "gpucap/report/listing.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "fit_logs.hpp"
#include "fit_samples.hpp"
#include "fit_training.hpp"
#include <fmt/format.h>

namespace gpucap::cli {
namespace {

namespace fs = std::filesystem;
using calibrate::FitPlan;
using calibrate::FittedPart;
using calibrate::SampleTable;
using report::Cell;
using report::Listing;
using report::Shown;

[[noreturn]] void fail(std::string option, std::string message, std::string code) {
  throw InputError(Problem{"", "", std::move(option), std::move(message), std::move(code)});
}

/// What the options and the plan ask for.
struct Request {
  std::optional<FitPlan> plan;
  std::string gpu;   ///< as the user wrote it; empty: the plan names it
  std::string what;  ///< kind of fit file; empty: what the samples hold
  std::string host;  ///< of collectives
  fs::path out;
};

Request request_of(Arguments& arguments) {
  Request request;
  if (!arguments.has("out")) arguments.problem("out", "is missing", "missing-option");
  const bool software = arguments.text("what") == "training";  // of no card in particular
  if (!software && !arguments.has("plan") && !arguments.has("gpu")) {
    arguments.problem("gpu", "is missing; without --plan nothing names the card", "missing-option");
  }
  const std::vector<std::pair<std::string, std::string>> kinds = {{"gemm", "gemm"},
                                                                  {"attention", "attention"},
                                                                  {"collectives", "collectives"},
                                                                  {"training", "training"}};
  request.what = arguments.choice<std::string>("what", kinds).value_or("");
  arguments.throw_if_problems();
  request.gpu = arguments.text("gpu").value_or("");
  request.host = arguments.text("host").value_or("");
  request.out = *arguments.text("out");
  if (const auto plan = arguments.text("plan")) request.plan = calibrate::read_plan(*plan);
  return request;
}

/// A folder stands for those of its tables that the plan names.
std::vector<fs::path> files_of(const std::vector<std::string>& operands,
                               const std::optional<FitPlan>& plan) {
  std::vector<fs::path> files;
  for (const std::string& operand : operands) {
    if (!fs::is_directory(operand)) {
      files.emplace_back(operand);
      continue;
    }
    if (!plan)
      fail(operand, "is a folder; only a plan says which of its tables to use", "not-a-file");
    for (const std::string& table : plan->tables()) files.push_back(fs::path(operand) / table);
  }
  return files;
}

std::vector<SampleTable> read_tables(const std::vector<fs::path>& files,
                                     const std::optional<FitPlan>& plan) {
  std::vector<SampleTable> tables;
  std::vector<Problem> problems;
  for (const fs::path& file : files) {
    try {
      const auto stated =
          plan ? plan->columns_of(file.filename().string()) : std::map<std::string, std::string>{};
      tables.push_back(SampleTable::read(file, stated));
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  }
  if (!problems.empty()) throw InputError(problems);
  return tables;
}

hardware::Gpu gpu_of(const Request& request) {
  const auto book = catalog::load_gpus(catalog::data_directory());
  const std::string& wanted = request.gpu.empty() ? request.plan->card : request.gpu;
  const hardware::Gpu* gpu = book.find(wanted);
  if (gpu == nullptr) fail("gpu", book.unknown(wanted), "unknown-name");
  if (request.plan && !request.plan->card.empty() && request.plan->card != gpu->id) {
    fail("gpu", fmt::format("is {}, but the plan is for {}", gpu->id, request.plan->card),
         "plan-mismatch");
  }
  return *gpu;
}

Cell percent(double share) {
  return 100 * share;
}

void add_coefficients(Listing& listing, const std::string& part, const FittedPart& fitted) {
  for (const auto& coefficient : fitted.coefficients) {
    if (coefficient.absent) continue;
    listing.rows.push_back({part, coefficient.key, coefficient.value, coefficient.unit,
                            coefficient.fitted ? Cell{coefficient.standard_error} : Cell{},
                            coefficient.basis});
  }
}

void add_errors(Listing& listing, const std::string& part, const FittedPart& fitted) {
  const auto row = [&](const calibrate::HeldOutError& error, Cell points, const char* range) {
    listing.rows.push_back({part, range, std::move(points), error.points, percent(error.median),
                            percent(error.p95), percent(error.bias), percent(error.spread)});
  };
  row(fitted.held_out, fitted.points, "as fitted");
  for (const auto& error : fitted.also) row(error, Cell{}, error.range.c_str());
}

void add_refusals(Listing& listing, const std::string& part, const FittedPart& fitted) {
  for (const auto& [reason, count] : fitted.refused) listing.rows.push_back({part, reason, count});
}

/// Three tables: coefficients, errors on held-out launches, refused rows.
void print_parts(const std::vector<std::pair<std::string, const FittedPart*>>& parts,
                 Console& console) {
  Listing coefficients{{{"part", "PART"},
                        {"coefficient", "COEFFICIENT"},
                        {"value", "VALUE", Shown::exact},
                        {"unit", "UNIT"},
                        {"standard_error", "STD ERROR", Shown::plain},
                        {"basis", "BASIS", Shown::text, 1}},
                       {}};
  Listing errors{{{"part", "PART"},
                  {"range", "HELD-OUT LAUNCHES", Shown::text, 1},
                  {"fitted", "FITTED ON", Shown::count},
                  {"held_out", "HELD OUT", Shown::count},
                  {"median_percent", "MEDIAN %", Shown::plain},
                  {"p95_percent", "P95 %", Shown::plain},
                  {"bias_percent", "BIAS %", Shown::plain},
                  {"spread_percent", "SPREAD %", Shown::plain}},
                 {}};
  Listing refused{{{"part", "PART"}, {"reason", "REFUSED"}, {"rows", "ROWS", Shown::count}}, {}};
  for (const auto& [name, part] : parts) {
    add_coefficients(coefficients, name, *part);
    add_errors(errors, name, *part);
    add_refusals(refused, name, *part);
  }
  console.print(report::aligned(to_table(coefficients), console.width()));
  console.print("\n" + report::aligned(to_table(errors), console.width()));
  if (!refused.rows.empty())
    console.print("\n" + report::aligned(to_table(refused), console.width()));
}

Listing pieces_listing(const calibrate::FittedSets& fitted) {
  Listing listing{{{"collective", "COLLECTIVE"},
                   {"host", "HOST"},
                   {"ranks", "RANKS", Shown::count},
                   {"implementation", "IMPLEMENTATION"},
                   {"form", "FORM", Shown::text, 1},
                   {"fitted", "FITTED ON", Shown::count},
                   {"held_out", "HELD OUT", Shown::count},
                   {"median_percent", "MEDIAN %", Shown::plain},
                   {"p95_percent", "P95 %", Shown::plain},
                   {"bias_percent", "BIAS %", Shown::plain}},
                  {}};
  for (const auto& set : fitted.sets) {
    listing.rows.push_back({set.plan.collective, set.plan.host, std::int64_t{set.plan.ranks},
                            set.plan.implementation, set.form, set.points, set.held_out.points,
                            percent(set.held_out.median), percent(set.held_out.p95),
                            percent(set.held_out.bias)});
  }
  for (const auto& all : fitted.all) {
    listing.rows.push_back({all.range, "all", Cell{}, Cell{}, Cell{}, Cell{}, all.points,
                            percent(all.median), percent(all.p95), percent(all.bias)});
  }
  return listing;
}

void write_collectives(const Request& request, std::vector<SampleTable>& tables,
                       const FitPlan& plan, Console& console) {
  const auto exclusions = calibrate::read_exclusions(catalog::data_directory());
  const auto fitted = calibrate::fit_sets(tables, plan, exclusions);
  write_file(request.out, calibrate::collectives_json(fitted));
  console.print(report::aligned(to_table(pieces_listing(fitted)), console.width()));
}

/// The names under which tables may know the card: its id and its other names.
std::vector<std::string> names_of(const hardware::Gpu& gpu, const std::string& written) {
  std::vector<std::string> names = {gpu.id, written};
  for (std::string& name : names) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  }
  return names;
}

/// With a plan nothing but the plan counts, so that a refit does not depend on what it replaces.
std::optional<perf::Calibration> in_force(const Request& request, const hardware::Gpu& gpu) {
  if (request.plan) return std::nullopt;
  return catalog::load_calibration(catalog::data_directory(), gpu);
}

void write_card(const Request& request, std::vector<SampleTable>& tables, const FitPlan& plan,
                const hardware::Gpu& gpu, Console& console) {
  const auto now = in_force(request, gpu);
  const auto exclusions = calibrate::read_exclusions(catalog::data_directory());
  const double sustained = catalog::load_sustained_rate(catalog::data_directory(), gpu).share;
  const auto fitted = calibrate::fit_card(gpu, tables, plan, exclusions, names_of(gpu, request.gpu),
                                          sustained, now ? &*now : nullptr);
  write_file(request.out, calibrate::fit_json(fitted));
  std::vector<std::pair<std::string, const FittedPart*>> parts;
  for (const FittedPart& part : fitted.parts) parts.emplace_back(part.part, &part);
  print_parts(parts, console);
}

/// A file of `gpucap calibrate`, which says itself what it is of.
bool is_samples_file(const std::vector<std::string>& operands) {
  return operands.size() == 1 && operands.front().ends_with(".json");
}

/// What a fit says against itself.
void tell_doubts(const FittedPart& part, Console& console) {
  constexpr double bad = 0.25;
  if (part.held_out.median > bad) {
    console.complain(fmt::format(
        "DOUBTFUL {}: {:.0f} % off on launches that were held out; the form does not describe them",
        part.part, 100 * part.held_out.median));
  }
  const auto stuck =
      std::count_if(part.coefficients.begin(), part.coefficients.end(),
                    [](const auto& one) { return one.fitted && one.standard_error == 0; });
  const auto sought = std::count_if(part.coefficients.begin(), part.coefficients.end(),
                                    [](const auto& one) { return one.fitted; });
  if (2 * stuck > sought) {
    console.complain(
        fmt::format("DOUBTFUL {}: {} of {} numbers stand at the bounds of their ranges", part.part,
                    stuck, sought));
  }
}

Exit run_fit_of_samples(Arguments& arguments, Console& console) {
  if (!arguments.has("out")) arguments.problem("out", "is missing", "missing-option");
  for (const char* of_tables : {"plan", "host"}) {
    if (arguments.has(of_tables)) {
      arguments.problem(of_tables, "is about tables, and this is a samples file", "contradiction");
    }
  }
  arguments.throw_if_problems();
  const std::string out = *arguments.text("out");
  const auto fitted =
      fit_samples_file(arguments.operands().front(), arguments.text("gpu").value_or(""),
                       arguments.text("what").value_or(""), out);
  std::vector<std::pair<std::string, const FittedPart*>> parts;
  for (const FittedPart& part : fitted.parts) parts.emplace_back(part.part, &part);
  print_parts(parts, console);
  if (!fitted.notes.empty()) console.note("note: " + fitted.notes);
  for (const FittedPart& part : fitted.parts) tell_doubts(part, console);
  console.note("written: " + out);
  return Exit::done;
}

Exit run_fit(Arguments& arguments, Console& console) {
  if (arguments.has("from")) return fit_from_logs(arguments, console);
  if (is_samples_file(arguments.operands())) return run_fit_of_samples(arguments, console);
  const Request request = request_of(arguments);
  if (request.what == "training") {
    fit_training_software(arguments.operands().front(), request.out, console);
    console.note("written: " + request.out.string());
    return Exit::done;
  }
  const bool sets = request.plan ? request.plan->parts.empty() : request.what == "collectives";
  if (sets && !request.plan && request.host.empty()) {
    fail("host", "is missing; collectives belong to a host", "missing-option");
  }
  std::optional<hardware::Gpu> gpu;
  if (!sets || !request.plan) gpu = gpu_of(request);
  auto tables = read_tables(files_of(arguments.operands(), request.plan), request.plan);
  if (sets) {
    write_collectives(
        request, tables,
        request.plan ? *request.plan : calibrate::plan_sets(tables, gpu->id, request.host),
        console);
  } else {
    write_card(request, tables,
               request.plan ? *request.plan : calibrate::plan_for(tables, gpu->id, request.what),
               *gpu, console);
  }
  console.note("written: " + request.out.string());
  return Exit::done;
}

}  // namespace

Command fit_command() {
  std::vector<Option> options{
      {"out", "FILE", "fit file to write"},
      {"gpu", "G", "card that was measured; a plan names its own"},
      {"plan", "FILE", "tables, rows and held values of a shipped fit"},
      {"what", "KIND",
       "gemm, attention or collectives; default: what the samples hold. training: constants of "
       "training software, from a folder of measured runs. Of a samples file a list of gemm, "
       "prefill, decode, elementwise"},
      {"host", "H", "host on which collectives were measured, or logs were made"}};
  for (Option& option : log_options()) options.push_back(std::move(option));
  return {"fit",
          "operator samples or logs to a fit file",
          {"gpucap fit samples.json --out my-card.json",
           "gpucap fit gemm.csv --gpu rtx-3090 --out rtx-3090-gemm.json",
           "gpucap fit TABLES --plan calibration/plans/a40-gemm.json --out a40-gemm.json",
           "gpucap fit --from vllm-bench results/*.json --gpu rtx-4090 --engine vllm-0.8.5 --out "
           "mine.json"},
          {{"SAMPLES", true}},
          std::move(options),
          run_fit};
}

}  // namespace gpucap::cli

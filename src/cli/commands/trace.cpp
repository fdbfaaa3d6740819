#include "gpucap/workload/trace.hpp"

#include "gpucap/cli/catalog_commands.hpp"
#include "gpucap/cli/format.hpp"
#include "gpucap/core/nearest_name.hpp"
#include "gpucap/workload/inspect.hpp"
#include "gpucap/workload/job_trace.hpp"

#include <algorithm>
#include <variant>

#include "job_sheet.hpp"

namespace gpucap::cli {
namespace {

using report::Cell;
using report::Listing;
using report::Shown;
using workload::TraceSummary;

void add_tokens(Listing& sheet, const std::string& name,
                const std::optional<workload::TokenSummary>& tokens) {
  if (!tokens) return;
  sheet.rows.push_back({name + "_sum", tokens->sum});
  sheet.rows.push_back({name + "_mean", tokens->mean});
  sheet.rows.push_back({name + "_p50", tokens->p50});
  sheet.rows.push_back({name + "_p95", tokens->p95});
  sheet.rows.push_back({name + "_p99", tokens->p99});
  sheet.rows.push_back({name + "_max", tokens->max});
}

Cell seconds(const std::optional<SimTime>& instant) {
  return instant ? Cell{as_seconds(*instant)} : Cell{};
}

Listing sheet_of(const TraceSummary& trace) {
  const auto& rate = trace.mean_rate;
  Listing sheet{{{"field", "FIELD"}, {"value", "VALUE", Shown::exact}},
                {{"requests", trace.rows},
                 {"dropped_rows", trace.dropped},
                 {"first_arrival_s", seconds(trace.first_arrival)},
                 {"last_arrival_s", seconds(trace.last_arrival)},
                 {"mean_rate_per_s", rate ? Cell{rate->in(unit::per_s)} : Cell{}},
                 {"gap_variation", report::number_cell(trace.gap_variation)}}};
  add_tokens(sheet, "prompt_tokens", trace.prompt);
  add_tokens(sheet, "output_tokens", trace.output);
  sheet.rows.push_back(
      {"block_tokens", trace.block_tokens > 0 ? Cell{trace.block_tokens} : Cell{}});
  sheet.rows.push_back({"shared_prefix_share", report::number_cell(trace.shared_prefix_share)});
  return sheet;
}

using AnyFormat = std::variant<workload::TraceFormat, workload::JobFormat>;

Parsed<AnyFormat> parse_any_format(std::string_view text) {
  if (const auto requests = workload::parse_trace_format(text)) return AnyFormat{*requests};
  if (const auto jobs = workload::parse_job_format(text)) return AnyFormat{*jobs};
  std::vector<std::string> known = workload::trace_format_names();
  const std::vector<std::string> of_jobs = workload::job_format_names();
  known.insert(known.end(), of_jobs.begin(), of_jobs.end());
  return ParseFailure{unknown_name("trace format", text, known), "unknown-name"};
}

AnyFormat trace_format_of(Arguments& arguments) {
  if (!arguments.has("trace-format")) {
    arguments.problem("trace-format", "is missing; a format is never guessed", "missing-option");
  }
  return arguments.value<AnyFormat>("trace-format", parse_any_format)
      .value_or(workload::TraceFormat::gpucap);
}

void refuse_option(Arguments& arguments, const char* option, const char* traces) {
  if (!arguments.has(option)) return;
  arguments.problem(option, std::string("is about traces of ") + traces, "unused-option");
}

Listing inspect_requests(Arguments& arguments, workload::TraceFormat format) {
  for (const char* option : {"profiles", "work", "gpus-per-processor"}) {
    refuse_option(arguments, option, "jobs");
  }
  workload::TraceOptions options;
  options.format = format;
  options.block_tokens = arguments.count("trace-block-tokens");
  arguments.throw_if_problems();
  const auto requests = workload::open_trace(arguments.operands().front(), options);
  return sheet_of(workload::inspect(*requests));
}

/// Options of the trace are those of the command line, spelt with dashes.
InputError as_options(const InputError& error) {
  std::vector<Problem> problems = error.problems();
  for (Problem& problem : problems) {
    if (!problem.file.empty()) continue;
    std::replace(problem.pointer.begin(), problem.pointer.end(), '_', '-');
    problem.pointer.insert(0, "--");
  }
  return InputError(std::move(problems));
}

Listing inspect_jobs(Arguments& arguments, workload::JobFormat format) {
  refuse_option(arguments, "trace-block-tokens", "requests");
  workload::JobTraceOptions options;
  options.format = format;
  options.profiles = arguments.text("profiles");
  options.work = arguments.text("work");
  options.gpus_per_processor = arguments.value<double>("gpus-per-processor", parse_number);
  arguments.throw_if_problems();
  try {
    return job_sheet(workload::read_jobs(arguments.operands().front(), options));
  } catch (const InputError& error) {
    throw as_options(error);
  }
}

Exit run_inspect(Arguments& arguments, Console& console) {
  const Format format = format_of(arguments);
  const AnyFormat trace = trace_format_of(arguments);
  const auto* const jobs = std::get_if<workload::JobFormat>(&trace);
  print_cells(jobs != nullptr ? inspect_jobs(arguments, *jobs)
                              : inspect_requests(arguments, std::get<workload::TraceFormat>(trace)),
              format, console);
  return Exit::done;
}

}  // namespace

Command trace_inspect() {
  return {"trace inspect",
          "rates, lengths and shared prefixes of requests; sizes and GPU time of training jobs",
          {"gpucap trace inspect requests.csv.gz --trace-format azure",
           "gpucap trace inspect jobs.csv --trace-format gpucap-jobs"},
          {{"FILE"}},
          {{"trace-format", "F",
            "azure, vidur, mooncake, gpucap (requests); elasticflow, pollux, openb, swf, sacct, "
            "gpucap-jobs (jobs); never guessed"},
           {"trace-block-tokens", "N", "tokens of a block that the trace names"},
           {"profiles", "DIR", "throughput tables of elasticflow, profiles of pollux"},
           {"work", "FILE", "elasticflow CSV with the iterations of pollux jobs"},
           {"gpus-per-processor", "X", "GPUs that a processor of swf stands for"},
           format_option()},
          run_inspect};
}

}  // namespace gpucap::cli

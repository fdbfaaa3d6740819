#include "gpucap/workload/trace.hpp"

#include "gpucap/cli/catalog_commands.hpp"
#include "gpucap/cli/format.hpp"
#include "gpucap/workload/inspect.hpp"

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

workload::TraceOptions options_of(Arguments& arguments) {
  workload::TraceOptions options;
  if (!arguments.has("trace-format")) {
    arguments.problem("trace-format", "is missing; a format is never guessed", "missing-option");
  }
  options.format =
      arguments.value<workload::TraceFormat>("trace-format", workload::parse_trace_format)
          .value_or(workload::TraceFormat::gpucap);
  options.block_tokens = arguments.count("trace-block-tokens");
  return options;
}

Exit run_inspect(Arguments& arguments, Console& console) {
  const Format format = format_of(arguments);
  const auto options = options_of(arguments);
  arguments.throw_if_problems();
  const auto requests = workload::open_trace(arguments.operands().front(), options);
  print_cells(sheet_of(workload::inspect(*requests)), format, console);
  return Exit::done;
}

}  // namespace

Command trace_inspect() {
  return {"trace inspect",
          "rates, lengths and shared prefixes of a trace",
          {"gpucap trace inspect requests.csv.gz --trace-format azure"},
          {{"FILE"}},
          {{"trace-format", "F", "azure, vidur, mooncake or gpucap; never guessed"},
           {"trace-block-tokens", "N", "tokens of a block that the trace names"},
           format_option()},
          run_inspect};
}

}  // namespace gpucap::cli

#include "gpucap/units/parse.hpp"

#include <cmath>

#include "readers.hpp"
#include <fmt/format.h>

namespace gpucap::validate {
namespace {

void add_figures(ServingCase& one, const CsvCells& row) {
  const auto add = [&](const std::string& column, const char* metric, const char* statistic,
                       double unit) {
    const auto value = row.number(column);
    if (value && *value > 0) one.measured.push_back({metric, statistic, *value * unit});
  };
  add("throughput_out_tok_s", "throughput", "out tok/s", 1);
  add("throughput_total_tok_s", "throughput", "total tok/s", 1);
  add("throughput_req_s", "throughput", "req/s", 1);
  for (const char* metric : {"ttft", "tpot", "e2e"}) {
    for (const char* statistic : {"p50", "mean", "p90", "p95", "p99"}) {
      add(fmt::format("{}_{}_ms", metric, statistic), metric, statistic, 1e-3);
    }
  }
}

/// Cells such as "0.9 (default)" or "engine default" say nothing that the engine does not.
void copy_count(ServingCase& one, const CsvCells& row, const char* column, const char* option) {
  const std::string& text = row.text(column);
  if (static_cast<bool>(parse_number(text))) set_option(one.options, option, text);
}

void add_length(ServingCase& one, const CsvCells& row, const Source& source, const char* column,
                const char* option) {
  const auto tokens = row.number(column);
  if (!tokens) return;  // the source states one for such rows, or the row is refused below
  const bool fixed = row.text("lengths_kind").starts_with("nominal fixed");
  if (fixed) {
    set_option(one.options, option, drawn(std::round(*tokens), std::nullopt));
  } else {
    set_option(one.options, option, drawn(*tokens, source.draw_max));
  }
}

void add_arrival(ServingCase& one, const CsvCells& row) {
  const std::string& arrival = row.text("arrival");
  const auto clients = row.number("max_concurrency");
  if (arrival.starts_with("open loop")) {
    one.options.emplace_back("request-rate", number_text(row.needed("request_rate_rps")));
    if (clients) one.remarks.push_back("the client's limit on requests in flight is not modelled");
  } else if (clients) {
    one.options.emplace_back("concurrency", number_text(*clients));
  } else if (arrival.starts_with("all requests at once")) {
    one.options.emplace_back("all-at-once", "");
  } else {
    throw CannotExpress{fmt::format("arrivals \"{}\"", arrival)};
  }
}

void require_lengths(const ServingCase& one) {
  for (const char* option : {"prompt-tokens", "output-tokens", "requests"}) {
    if (!scenario::value_of(one.options, option)) {
      throw CannotExpress{fmt::format("the row does not state {}", option)};
    }
  }
}

}  // namespace

ServingCase read_bench_row(const RowReader& reader, const CsvCells& row) {
  const Source& source = reader.source;
  ServingCase one = reader.started(
      row.text("case_id"),
      {row.text("gpu"), row.text("model"), row.text("engine") + " " + row.text("engine_version"),
       row.text("weight_dtype"), row.text("kv_dtype"), row.text("tp")});
  for (const auto& [column, option] :
       {std::pair{"replicas", "replicas"}, {"pp", "pipeline-parallel"}}) {
    const std::string& count = row.text(column);
    if (!count.empty() && count != "1") one.options.emplace_back(option, count);
  }
  for (const auto& [option, value] : source.options) one.options.emplace_back(option, value);
  copy_count(one, row, "max_num_seqs", "max-num-seqs");
  copy_count(one, row, "max_num_batched_tokens", "max-num-batched-tokens");
  copy_count(one, row, "max_model_len", "max-model-len");
  copy_count(one, row, "gpu_memory_utilization", "gpu-memory-utilization");
  add_length(one, row, source, "prompt_tokens", "prompt-tokens");
  add_length(one, row, source, "output_tokens", "output-tokens");
  if (const auto requests = row.number("num_requests")) {
    set_option(one.options, "requests", number_text(*requests));
  }
  add_arrival(one, row);
  require_lengths(one);
  add_figures(one, row);
  return one;
}

}  // namespace gpucap::validate

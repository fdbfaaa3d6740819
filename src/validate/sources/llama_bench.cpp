#include <algorithm>

#include "readers.hpp"
#include <fmt/format.h>

namespace gpucap::validate {

ServingCase read_llama_bench_row(const RowReader& reader, const CsvCells& row) {
  const auto rate = row.number("throughput_tok_s");
  if (!rate || !(*rate > 0)) throw CannotExpress{"no rate: the run did not fit"};
  const std::string& phase = row.text("phase");
  const double tokens = row.needed("tokens");
  // One position is left for the other side: Llama-3 has 8,192 of them, llama-bench uses all.
  const double run = std::min(tokens, 8191.0);
  ServingCase one = reader.started(
      fmt::format("{} {} {} {}{}", row.text("gpu"), row.text("model"), row.text("weight_format"),
                  phase, tokens),
      {row.text("gpu"), row.text("model"), row.text("engine"), row.text("weight_format"), "", ""});
  if (const std::string& cards = row.text("gpu_count"); cards != "1") {
    one.options.emplace_back("pipeline-parallel", cards);  // llama.cpp splits by layers
  }
  const bool prompt = phase == "pp";
  one.options.emplace_back("prompt-tokens", prompt ? number_text(run) : "1");
  one.options.emplace_back("output-tokens", prompt ? "1" : number_text(run));
  one.options.emplace_back("requests", "1");
  one.options.emplace_back("concurrency", "1");
  if (prompt) {
    one.measured = {{"ttft", "mean", tokens / *rate}};
  } else {
    one.measured = {{"tpot", "mean", 1 / *rate}};
  }
  return one;
}

}  // namespace gpucap::validate

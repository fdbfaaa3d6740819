#include <cmath>
#include <cstdlib>

#include "readers.hpp"
#include <fmt/format.h>

namespace gpucap::validate {
namespace {

/// Stage n of "600 s at 2.5 req/s; 600 s at 6 req/s".
struct Stage {
  double seconds = 0, rate = 0;
};

Stage stage_of(const CsvCells& row, std::size_t index) {
  std::string text = row.text("stages");
  for (; index > 0; --index) {
    const auto end = text.find(';');
    if (end == std::string::npos) break;
    text.erase(0, end + 1);
  }
  char* rest = nullptr;
  Stage stage;
  stage.seconds = std::strtod(text.c_str(), &rest);
  const std::string tail = rest;
  const auto at = tail.find(" at ");
  if (at != std::string::npos) stage.rate = std::strtod(tail.c_str() + at + 4, nullptr);
  if (!(stage.seconds > 0) || !(stage.rate > 0)) {
    throw row.fault("stages", "expected something like \"600 s at 2.5 req/s\"", "bad-stage");
  }
  return stage;
}

}  // namespace

ServingCase read_stage_row(const RowReader& reader, const CsvCells& row) {
  const std::string& number = row.text("stage");
  if (number == "summary") throw CannotExpress{"sums up the stages, which stand in their own rows"};
  ServingCase one =
      reader.started(fmt::format("{} stage {}", row.text("experiment"), number),
                     {row.text("gpu"), row.text("model"),
                      row.text("engine") + " " + row.text("engine_version").substr(0, 6),
                      row.text("weight_dtype"), "", row.text("tp")});
  const Stage stage = stage_of(row, static_cast<std::size_t>(std::atoi(number.c_str())));
  const double system = row.needed("system_prompt_tokens");
  auto& options = one.options;
  options.emplace_back("max-num-seqs", row.text("max_num_seqs"));
  options.emplace_back("max-num-batched-tokens", row.text("max_num_batched_tokens"));
  options.emplace_back("prompt-tokens", number_text(system + row.needed("question_tokens")));
  options.emplace_back("output-tokens", number_text(row.needed("output_tokens")));
  options.emplace_back("shared-prefix", number_text(system));
  options.emplace_back("prefix-groups", row.text("unique_system_prompts"));
  options.emplace_back("requests", number_text(std::round(stage.seconds * stage.rate)));
  options.emplace_back("request-rate", number_text(stage.rate));
  one.measured = {{"tpot", "itl mean", row.needed("itl_mean_ms") * 1e-3},
                  {"ttft", "mean", row.needed("ttft_mean_ms") * 1e-3},
                  {"e2e", "mean", row.needed("e2e_mean_ms") * 1e-3}};
  return one;
}

}  // namespace gpucap::validate

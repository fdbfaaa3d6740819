#include <algorithm>

#include "readers.hpp"
#include <fmt/format.h>

namespace gpucap::validate {

ServingCase read_iteration_row(const RowReader& reader, const CsvCells& row) {
  const double prompt = row.needed("prompt_tokens");
  const double batch = row.needed("batch");
  const std::string id = fmt::format("{} {} TP {}, {} x {}", row.text("model"),
                                     row.text("hardware_label"), row.text("tp"), batch, prompt);
  ServingCase one = reader.started(id, {row.text("gpu"), row.text("model"), row.text("engine"),
                                        row.text("weight_dtype"), "", row.text("tp")});
  // The whole batch is one prompt step, so it must fit the budget of a step.
  const double longest = std::max(prompt + 1, 2048.0);
  one.options.emplace_back("max-model-len", number_text(longest));
  one.options.emplace_back("max-num-batched-tokens",
                           number_text(std::max(prompt * batch, longest)));
  one.options.emplace_back("prompt-tokens", number_text(prompt));
  one.options.emplace_back("output-tokens", "1");
  one.options.emplace_back("requests", number_text(batch));
  one.options.emplace_back("all-at-once", "");
  one.measured = {{"ttft", "mean", row.needed("prompt_time_median_ms") * 1e-3}};
  return one;
}

}  // namespace gpucap::validate

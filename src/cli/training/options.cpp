#include "options.hpp"

#include "gpucap/cli/option_words.hpp"
#include "gpucap/scenario/training_options.hpp"

#include <fmt/format.h>

namespace gpucap::cli {
namespace {

scenario::Options options_of(const Arguments& arguments) {
  scenario::Options options;
  for (const Option& option : training_options()) {
    if (!arguments.has(option.name)) continue;
    options.emplace_back(option.name, arguments.text(option.name).value_or(""));
  }
  return options;
}

void check(Arguments& arguments) {
  for (const char* needed : {"model", "gpu"}) {
    if (!arguments.has(needed)) arguments.problem(needed, "is needed", "missing-option");
  }
  if (arguments.has("offer") && arguments.has("price-per-hour")) {
    arguments.problem("price-per-hour", "there is an --offer already; give one of the two",
                      "contradiction");
  }
  for (const char* degree : {"data-parallel", "tensor-parallel", "pipeline-parallel",
                             "context-parallel", "expert-parallel", "zero"}) {
    if (!arguments.has("search") || !arguments.has(degree)) continue;
    arguments.problem(degree, "--search chooses it; leave one of the two out", "contradiction");
  }
}

}  // namespace

evaluate::TrainingCase training_case_from(Arguments& arguments, scenario::Library& library) {
  check(arguments);
  if (!arguments.has("count")) {  // they decide it then, so they must be counts
    for (const char* degree :
         {"data-parallel", "tensor-parallel", "pipeline-parallel", "context-parallel"}) {
      arguments.count(degree);
    }
  }
  arguments.throw_if_problems();
  const std::string name =
      fmt::format("{} on {}", *arguments.text("model"), *arguments.text("gpu"));
  try {
    auto document = scenario::document_from(name, "training",
                                            scenario::training_settings_of(options_of(arguments)));
    const auto found = scenario::read_training(document, "", library);
    return scenario::plan_training(found, library).front();
  } catch (const InputError& error) {
    throw in_words_of_options(error, scenario::training_option_at);
  }
}

std::vector<Option> training_options() {
  return {{"model", "M", "model id, path of a config.json, or a net such as resnet-50"},
          {"gpu", "G", "card id, such as rtx-4090"},
          {"count", "N", "cards in all (default: what the layout needs)"},
          {"host", "H", "machine that holds the cards (default: by card)"},
          {"method", "M", "full, lora or qlora"},
          {"seq-len", "N", "tokens of a sequence (default 2048)"},
          {"micro-batch", "N", "samples per data-parallel rank at once (default 1)"},
          {"grad-accum", "N", "micro-batches per step (default 1)"},
          {"global-batch", "N", "samples per step of all ranks, instead of --grad-accum"},
          {"data-parallel", "N", "copies of the model (default: what the count leaves)"},
          {"tensor-parallel", "N", "cards that share each layer"},
          {"pipeline-parallel", "N", "groups of cards that share the layers"},
          {"context-parallel", "N", "cards that share each sequence"},
          {"expert-parallel", "N", "data-parallel ranks that deal out the experts"},
          {"zero", "0|1|2|3", "sharding over data-parallel ranks; 3 = FSDP"},
          {"search", "", "try every layout for the same batch, take the fastest that fits"},
          {"recompute", "R", "none, selective or full"},
          {"offload", "O", "none, optimizer or params"},
          {"optimizer", "O", "adamw, adamw-8bit, adamw-8bit-paged, sgd or sgd-momentum"},
          {"fused-optimizer", "", "update weights within the backward pass"},
          {"weights", "W", "mixed, amp, pure or full"},
          {"arithmetic", "D", "bf16, fp16, fp8, tf32 or fp32"},
          {"lora-rank", "N", "rank of adapters (default 16)"},
          {"tokens", "N", "how much is trained, for the cost of the run"},
          {"samples", "N", "the same in sequences or images"},
          {"software", "S", "tuned, framework, huggingface, ..."},
          {"calibration", "FILE", "own fit of the card, as gpucap fit writes it"},
          {"offer", "ID", "price from an offer"},
          {"price-per-hour", "P", "price of all cards, such as 1.20EUR"}};
}

}  // namespace gpucap::cli

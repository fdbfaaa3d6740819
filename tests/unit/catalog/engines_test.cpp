#include "gpucap/catalog/engines.hpp"

#include <fstream>
#include <sstream>

#include "support/catch.hpp"

using namespace gpucap;
using catalog::JsonDocument;

namespace {

std::string shipped(const std::string& id) {
  std::ifstream file(std::string(GPUCAP_SOURCE_DIR "/calibration/engines/") + id + ".json");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string fault_of(const std::string& text) {
  try {
    catalog::read_engine(JsonDocument("e.json", text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("the ten engines are there under their file names, and each says where it comes from") {
  const auto book = catalog::load_engines(GPUCAP_SOURCE_DIR);
  std::vector<std::string> ids;
  for (const auto& engine : book.all()) {
    ids.push_back(engine.id);
    CHECK_FALSE(engine.source.empty());
    CHECK(catalog::read_engine(JsonDocument("e.json", shipped(engine.id))).id == engine.id);
  }
  CHECK(ids == std::vector<std::string>{"llama-cpp", "static", "vllm-0.10", "vllm-0.11",
                                        "vllm-0.15", "vllm-0.19", "vllm-0.21", "vllm-0.6",
                                        "vllm-0.8.5", "vllm-0.9.2"});
  CHECK(book.find("vllm-0.18") == nullptr);
  CHECK(book.unknown("lama-cpp") == "unknown engine \"lama-cpp\"; did you mean \"llama-cpp\"?");
}

TEST_CASE("every interval of a shipped engine holds its figure") {
  const auto book = catalog::load_engines(GPUCAP_SOURCE_DIR);
  for (const auto& engine : book.all()) {
    const std::vector<std::pair<std::string, double>> figures = {
        {"memory.sampler_bytes", engine.memory.sampler_bytes},
        {"memory.non_torch_single", engine.memory.non_torch_single.base()},
        {"memory.non_torch_parallel", engine.memory.non_torch_parallel.base()},
        {"memory.non_torch_pcie", engine.memory.non_torch_pcie.base()},
        {"memory.cuda_context", engine.memory.cuda_context.base()},
        {"memory.graphs", engine.memory.graphs.base()},
        {"host.gap", engine.host.gap.base()},
        {"host.gap_per_sequence", engine.host.gap_per_sequence.base()},
        {"host.floor_per_layer", engine.host.floor_per_layer.base()},
        {"host.per_sequence", engine.host.per_sequence.base()},
        {"host.front_end", engine.host.front_end.base()}};
    std::size_t checked = 0;
    for (const auto& [name, value] : figures) {
      const auto range = engine.intervals.find(name);
      if (range == engine.intervals.end()) continue;
      INFO(engine.id << " " << name);
      CHECK(range->second.first <= value);
      CHECK(value <= range->second.second);
      ++checked;
    }
    CHECK(checked == engine.intervals.size());
  }
}

TEST_CASE("rules that changed between versions are read as they stand") {
  const auto book = catalog::load_engines(GPUCAP_SOURCE_DIR);
  CHECK_FALSE(book.find("vllm-0.11")->async_scheduling);
  CHECK(book.find("vllm-0.15")->async_scheduling);
  CHECK_FALSE(book.find("vllm-0.15")->reserve_full_prompt);
  CHECK(book.find("vllm-0.19")->reserve_full_prompt);
  CHECK(book.find("vllm-0.19")->gpu_memory_utilization == 0.9);
  CHECK(book.find("vllm-0.21")->gpu_memory_utilization == 0.92);
  CHECK(book.find("vllm-0.21")->memory.graphs_inside_budget);
  CHECK(book.find("vllm-0.19")->host.gap.in(unit::ms) == Approx(0.7));
  CHECK(book.find("vllm-0.6")->batching == perf::EngineProfile::Batching::prefill_first);
  CHECK(book.find("llama-cpp")->fixed_max_num_seqs == 1);
}

TEST_CASE("a figure without a source is refused, and so is a source without a figure") {
  const auto text = shipped("vllm-0.19");
  CHECK(fault_of(replaced(text, "\"of\": [\"non_torch_single\"]", "\"of\": []"))
            .find("no entry of \"sources\" names \"non_torch_single\"") != std::string::npos);
  CHECK(fault_of(replaced(text, "\"of\": [\"non_torch_single\"]",
                          "\"of\": [\"non_torch_single\", \"graph\"]"))
            .find("\"graph\" is no key of this section") != std::string::npos);
  CHECK(fault_of(replaced(text, "\"gap\": \"0.7 ms\"", "\"gap\": \"0.7\"")).find("missing-unit") !=
        std::string::npos);
  CHECK(fault_of(replaced(text, "[\"0 ms\", \"1.0 ms\"]", "[\"1.0 ms\", \"0 ms\"]"))
            .find("wrong-interval") != std::string::npos);
  CHECK(fault_of(replaced(text, "\"block_tokens\": 16,", "\"block_token\": 16,"))
            .find("did you mean") != std::string::npos);
}

#include "gpucap/catalog/models.hpp"
#include "gpucap/core/error.hpp"

#include <map>
#include <string>
#include <tuple>

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::models;

namespace {
constexpr double gib = 1024.0 * 1024 * 1024;

const catalog::ModelBook& zoo() {
  static const auto book = catalog::load_models(GPUCAP_SOURCE_DIR);
  return book;
}

double kv_gib(const std::string& id, std::int64_t tokens) {
  return static_cast<double>(kv_bytes_per_token(zoo().find(id), Dtype::bf16, 1) * tokens) / gib;
}

// What an engine logs as the weights of one rank where no tensor leaves a gap in its segment.
double logged_gib(const std::string& id, int tp, const std::string& format = "auto") {
  const auto m = zoo().find(id);
  return (weight_bytes(m, *weight_format(m, format), tp, 1) +
          static_cast<double>(rotary_table_bytes(m))) /
         gib;
}
/// Models whose checkpoint also holds a draft module or a vision tower, and its published count.
const std::map<std::string, double> with_other_parts = {{"glm-4.5-air", 110e9},
                                                        {"glm-4.6", 357e9},
                                                        {"llama-4-scout", 109e9},
                                                        {"qwen3.5-9b", 9.41e9},
                                                        {"qwen3.5-35b-a3b", 35.95e9}};
}  // namespace

TEST_CASE("a checkpoint with a draft module or a vision tower holds a little more") {
  for (const auto& [id, published] : with_other_parts) {
    CAPTURE(id);
    const double share = static_cast<double>(parameters(zoo().find(id))) / published;
    CHECK(share < 1);
    CHECK(share > 0.94);
  }
}

TEST_CASE("each model's parameters agree with the published count to 0.1 %") {
  CHECK(zoo().ids().size() >= 41);
  for (const auto& id : zoo().ids()) {
    CAPTURE(id);
    const auto model = zoo().find(id);
    CHECK(model.id == id);
    CHECK_FALSE(model.source.empty());
    for (const auto& assumed : model.assumed) CHECK(assumed.ends_with("is not loaded"));
    // The others' published counts hold parts that are not loaded: the next test.
    if (!model.published_parameters) {
      CHECK(with_other_parts.contains(id));
      continue;
    }
    const auto published = static_cast<double>(*model.published_parameters);
    CHECK(static_cast<double>(parameters(model)) == Approx(published).epsilon(0.001));
  }
}

TEST_CASE("counts that are published to the unit are met to the unit") {
  for (const auto* id :
       {"llama-3.1-8b", "qwen2.5-7b", "mixtral-8x7b", "qwen3-30b-a3b", "deepseek-v2-lite",
        "deepseek-v3", "qwen3.6-27b", "llama-3.1-405b", "gemma-2-9b", "phi-4", "bloom-176b",
        "llama-3.2-1b", "bert-base", "bge-large-en-v1.5", "bge-m3", "bge-reranker-v2-m3",
        "multilingual-e5-large"}) {
    CAPTURE(id);
    const auto model = zoo().find(id);
    CHECK(parameters(model) == model.published_parameters);
  }
}

TEST_CASE("active parameters are those of the model cards") {
  CHECK(active_parameters(zoo().find("qwen3-30b-a3b")) / 1e9 == Approx(3.3).margin(0.06));
  CHECK(active_parameters(zoo().find("mixtral-8x7b")) / 1e9 == Approx(12.9).margin(0.05));
  CHECK(active_parameters(zoo().find("deepseek-v3")) / 1e9 == Approx(37).margin(0.6));
  CHECK(active_parameters(zoo().find("qwen3-235b-a22b")) / 1e9 == Approx(22).margin(0.3));
  CHECK(active_parameters(zoo().find("qwen3-coder-480b-a35b")) / 1e9 == Approx(35).margin(0.5));
  // Its card leaves out embedding and head, 2 x 151,552 x 4,096.
  CHECK((active_parameters(zoo().find("glm-4.5-air")) - 2 * 151552 * 4096) / 1e9 ==
        Approx(12).margin(0.3));
  CHECK(active_parameters(zoo().find("llama-4-scout")) / 1e9 == Approx(17).margin(0.3));
}

TEST_CASE("KV sizes that people measured or worked out are met") {
  // 126 layers x 2 x 8 x 128 x 2 B = 516,096 B; 128,000 tokens.
  CHECK(kv_gib("llama-3.1-405b", 128000) == Approx(61.52).margin(0.01));
  // Logged pool of 613,024 tokens: 65.5 GiB.
  CHECK(kv_gib("llama-3.2-3b", 613024) == Approx(65.48).margin(0.01));
  // 16 of 64 layers attend; four sequences' states are 0.58 GiB where the convolution is fp32 too.
  CHECK(kv_gib("qwen3.6-27b", 262144) == Approx(16.0));
  CHECK(static_cast<double>(4 * recurrent_state_bytes(zoo().find("qwen3.6-27b"), 1)) / gib ==
        Approx(0.573).margin(0.001));
  // 94 layers, one of 4 KV heads per card: 2 x 128 x 2 B x 94.
  CHECK(kv_bytes_per_token(zoo().find("qwen3-235b-a22b-fp8"), Dtype::bf16, 4) == 48128);
  CHECK(kv_bytes_per_token(zoo().find("deepseek-v3"), Dtype::bf16, 8) == 61 * 576 * 2);
}

TEST_CASE("weights and rotary tables are what engines log, in GiB per rank") {
  // vLLM logs of models whose tensors are (nearly) all multiples of 2 MiB.
  CHECK(logged_gib("llama-3-8b", 1) == Approx(14.96).margin(0.005));
  CHECK(logged_gib("llama-3-8b", 2) == Approx(7.48).margin(0.005));
  CHECK(logged_gib("llama-3.1-8b", 1) == Approx(14.99).margin(0.005));
  CHECK(logged_gib("qwen3-8b", 1) == Approx(15.27).margin(0.005));
  CHECK(logged_gib("qwen2.5-1.5b", 1) == Approx(2.89).margin(0.01));
  CHECK(logged_gib("qwen3-8b", 1, "fp8") == Approx(8.80).margin(0.005));
  CHECK(logged_gib("qwen3-235b-a22b-fp8", 4) == Approx(55.19).margin(0.1));
}

TEST_CASE("where tensors leave gaps, the log is higher by those gaps") {
  // An allocator that works in steps of 2 MiB and passes on only gaps above 1 MiB loses, per layer
  // of the 14B on two cards, 1 (qkv 35 MiB) + 1 (o 25) + 1 (gate_up 135) + 0.5 (down 67.5).
  CHECK(logged_gib("deepseek-r1-distill-qwen-14b", 2) + 48 * 3.5 / 1024 ==
        Approx(13.95).margin(0.005));
  // 32B: qkv 35, o 25, gate_up 270, down 135.
  CHECK(logged_gib("deepseek-r1-distill-qwen-32b", 2) + 64 * 3.0 / 1024 ==
        Approx(30.73).margin(0.01));
}

TEST_CASE("windows that are written but inactive do not shorten the cache") {
  CHECK_FALSE(zoo().find("qwen2.5-7b").sliding_window.has_value());
  CHECK(zoo().find("mistral-7b").sliding_window == 4096);
  CHECK(zoo().find("mistral-7b").sliding_layers == 32);
}

TEST_CASE("gpt-oss in MXFP4 weighs what its card says") {
  // arXiv 2508.10925, table 1: checkpoints of 60.8 and 12.8 GiB.
  CHECK(logged_gib("gpt-oss-120b", 1) == Approx(60.8).epsilon(0.01));
  CHECK(logged_gib("gpt-oss-20b", 1) == Approx(12.8).epsilon(0.01));
  CHECK(zoo().find("gpt-oss-20b").sliding_layers == 12);
}

TEST_CASE("an encoder says so") {
  CHECK(zoo().find("bge-m3").encoder);
  CHECK(zoo().find("bge-reranker-v2-m3").classes == 1);
  CHECK_FALSE(zoo().find("phi-4").encoder);
}

TEST_CASE("a model is found in any case; an unknown name brings the nearest") {
  CHECK(zoo().find("Llama-3.1-8B").id == "llama-3.1-8b");
  CHECK(zoo().knows("QWEN3-8B"));
  try {
    std::ignore = zoo().find("llama-3.1-8c");
    FAIL("must throw");
  } catch (const InputError& error) {
    CHECK(error.problems().front().code == "unknown-name");
    CHECK(error.problems().front().message.find("llama-3.1-8b") != std::string::npos);
  }
}

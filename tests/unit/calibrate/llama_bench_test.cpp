#include "gpucap/calibrate/log_card.hpp"
#include "gpucap/calibrate/served_run.hpp"

#include <string>

#include "support/catch.hpp"
#include "written_file.hpp"
#include <fmt/format.h>

namespace {

using namespace gpucap;
using gpucap::calibrate::is_named;
using gpucap::calibrate::read_llama_bench;
using gpucap::test::WrittenFile;

std::string test_of(int prompt, int answer, int depth, const std::string& type,
                    const std::string& file) {
  return fmt::format(
      "{{\"gpu_info\": \"NVIDIA GeForce RTX 4090\", \"backends\": \"CUDA\", "
      "\"model_filename\": \"{}\", \"model_type\": \"{}\", \"n_gpu_layers\": -1, "
      "\"n_prompt\": {}, \"n_gen\": {}, \"n_depth\": {}, \"avg_ns\": 128000000, "
      "\"avg_ts\": {}}}",
      file, type, prompt, answer, depth, (prompt + answer) / 0.128);
}

}  // namespace

TEST_CASE("A prompt test is the time to one token, an answer test the time per token") {
  const WrittenFile file("[" + test_of(512, 0, 0, "llama 8B Q8_0", "a/Llama-3-8B.Q8_0.gguf") + "," +
                             test_of(0, 128, 0, "llama 8B Q8_0", "a/Llama-3-8B.Q8_0.gguf") + "]",
                         "b.json");
  const auto runs = read_llama_bench(file.path());
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].name == "b.json pp512");
  CHECK(runs[0].input_tokens == 512);
  CHECK(runs[0].figure("ttft", "mean")->value == Approx(0.128));
  // 128 ms over 128 tokens.
  CHECK(runs[1].figure("tpot", "mean")->value == Approx(0.001));
  CHECK(runs[1].model == "Llama-3-8B");
  CHECK(runs[1].weight_format == "q8_0");
  CHECK_FALSE(runs[1].layers_on_card);  // -1: all
}

TEST_CASE("Mixed tests and prompts within a context are left out, deep answers are shown only") {
  const std::string type = "llama 8B F16", name = "Meta-Llama-3-8B-Instruct-F16.gguf";
  const WrittenFile file("[" + test_of(512, 128, 0, type, name) + "," +
                             test_of(512, 0, 1024, type, name) + "," +
                             test_of(0, 64, 2048, type, name) + "]",
                         "b.json");
  const auto runs = read_llama_bench(file.path());
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].name == "b.json tg64 @ d2048");
  CHECK(runs[0].input_tokens == 2048);
  CHECK_FALSE(runs[0].decides);
  CHECK(runs[0].weight_format == "fp16");
  CHECK(runs[0].model == "Meta-Llama-3-8B-Instruct");
}

TEST_CASE("A driver's name fits a card unless number, kind or form say otherwise") {
  hardware::Gpu rtx, a100;
  rtx.name = "NVIDIA GeForce RTX 4090";
  rtx.form_factor = "pcie";
  a100.name = "NVIDIA A100 80GB SXM4";
  a100.form_factor = "sxm";
  CHECK(is_named(rtx, "NVIDIA GeForce RTX 4090"));
  CHECK_FALSE(is_named(rtx, "NVIDIA GeForce RTX 4090 D"));
  CHECK_FALSE(is_named(rtx, "NVIDIA GeForce RTX 3090"));
  CHECK(is_named(a100, "NVIDIA A100-SXM4-80GB"));
  CHECK_FALSE(is_named(a100, "NVIDIA A100 80GB PCIe"));
  CHECK_FALSE(is_named(a100, "NVIDIA H100 80GB HBM3"));
}

#include "gpucap/core/error.hpp"
#include "gpucap/validate/serving_case.hpp"

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::validate;

namespace {

namespace fs = std::filesystem;

/// A folder of measured tables with one small file.
struct Tables {
  fs::path root;

  Tables(const std::string& file, const std::string& content)
      : root(fs::temp_directory_path() / ("gpucap-validate-" + std::to_string(getpid()))) {
    fs::create_directories(root / "serving");
    std::ofstream(root / "serving" / file) << content;
  }
  ~Tables() { fs::remove_all(root); }
  [[nodiscard]] ServingCases read() const {
    return measured_serving_cases(root, GPUCAP_SOURCE_DIR);
  }
};

const std::string bench_head =
    "case_id,gpu,tp,pp,replicas,engine,engine_version,model,weight_dtype,kv_dtype,arrival,"
    "prompt_tokens,output_tokens,lengths_kind,num_requests,request_rate_rps,max_concurrency,"
    "throughput_out_tok_s,tpot_p50_ms,ttft_p50_ms,notes\n";

std::string option(const ServingCase& one, const std::string& name) {
  return scenario::value_of(one.options, name).value_or("absent");
}

/// The reasons of what a source holds, without files that are not there.
std::vector<Skipped> skipped_of(const ServingCases& found, const std::string& source) {
  std::vector<Skipped> own;
  for (const Skipped& one : found.skipped) {
    if (one.source == source) own.push_back(one);
  }
  return own;
}

}  // namespace

TEST_CASE("a bench row becomes the options that repeat it") {
  const Tables tables(
      "iog_vllm085_sharegpt.csv",
      "# a comment\n" + bench_head +
          "row-1,RTX 4090,1,1,1,vLLM,0.8.5,deepseek-ai/DeepSeek-R1-Distill-Qwen-7B,"
          "float16 (per README example),auto,open loop Poisson (burstiness 1.0),205.84,201.91,"
          "mean = total/completed,200,4.0,,754.2,20.2,39.3,\"a, note\"\n");
  const auto found = tables.read();
  REQUIRE(found.cases.size() == 1);
  const ServingCase& one = found.cases[0];
  CHECK(one.source == "iog");
  CHECK(scenario::command_line(one.options) ==
        "gpucap estimate serving --model deepseek-r1-distill-qwen-7b --gpu rtx-4090 --engine "
        "vllm-0.8.5 --weight-dtype fp16 --prompt-tokens exponential:mean=205.84,max=900 "
        "--output-tokens exponential:mean=201.91,max=900 --requests 200 --request-rate 4");
  CHECK_FALSE(one.calibration);
  REQUIRE(one.measured.size() == 3);
  CHECK(one.measured[0].statistic == "out tok/s");
  CHECK(one.measured[0].value == 754.2);
  CHECK(one.measured[1].metric == "ttft");
  CHECK(one.measured[1].value == Approx(0.0393));
}

TEST_CASE("a row that cannot be expressed is listed with the reason, never dropped") {
  const std::string rest = ",float16,auto,open loop Poisson,200,200,nominal fixed,200,4,,1,1,1,\n";
  const Tables tables("iog_vllm085_sharegpt.csv",
                      bench_head + "card,RTX 9999,1,1,1,vLLM,0.8.5,Qwen/Qwen3-8B" + rest +
                          "model,RTX 4090,1,1,1,vLLM,0.8.5,nobody/Nothing-7B" + rest +
                          "engine,RTX 4090,1,1,1,vLLM,0.1,Qwen/Qwen3-8B" + rest);
  const auto found = tables.read();
  CHECK(found.cases.empty());
  const auto skipped = skipped_of(found, "iog");
  REQUIRE(skipped.size() == 3);
  CHECK(skipped[0].reason == "card \"RTX 9999\" is not among those that are known here");
  CHECK(skipped[1].reason == "model \"nobody/Nothing-7B\" is not among those that are known here");
  CHECK(skipped[2].reason == "engine \"vLLM 0.1\" is not among those that are known here");
}

TEST_CASE("stages of a row become pipeline parallelism") {
  const Tables tables("iog_vllm085_sharegpt.csv",
                      bench_head +
                          "stages,RTX 4090,1,2,1,vLLM,0.8.5,Qwen/Qwen3-8B"
                          ",float16,auto,open loop Poisson,200,200,nominal fixed,200,4,,1,1,1,\n");
  const auto found = tables.read();
  REQUIRE(found.cases.size() == 1);
  CHECK(scenario::value_of(found.cases[0].options, "pipeline-parallel") == "2");
}

TEST_CASE("rules of a source mark calibration rows, prefix hits and figures not to be used") {
  const std::string rest =
      "float16,auto,\"closed loop, max concurrency\",512,256,nominal fixed,100,"
      "inf,8,2.63,11,60,\n";
  const Tables tables("cssnoeasy_a100_pcie_vllm0190.csv",
                      bench_head +
                          "cssnoeasy_a100pcie_qwen25-7b_tp1_short_run2,A100 PCIe,1,1,1,vLLM,0.19.0,"
                          "Qwen/Qwen2.5-7B-Instruct," +
                          rest +
                          "cssnoeasy_a100pcie_qwen25-7b_tp1_short_run1,A100 PCIe,1,1,1,vLLM,0.19.0,"
                          "Qwen/Qwen2.5-7B-Instruct," +
                          rest);
  const auto found = tables.read();
  REQUIRE(found.cases.size() == 1);
  CHECK(found.cases[0].calibration);
  CHECK(option(found.cases[0], "shared-prefix") == "512");
  CHECK(option(found.cases[0], "concurrency") == "8");
  REQUIRE(skipped_of(found, "cssnoeasy").size() == 1);
  CHECK(skipped_of(found, "cssnoeasy")[0].reason.find("cold start") == 0);
}

TEST_CASE("tensor-parallel rows of iog keep their tok/s only") {
  const Tables tables("iog_vllm085_sharegpt.csv",
                      bench_head +
                          "two,RTX 4090,2,1,1,vLLM,0.8.5,deepseek-ai/DeepSeek-R1-Distill-Qwen-7B,"
                          "float16,auto,open loop Poisson,200,200,mean,200,4,,806,15,7,\n");
  const auto found = tables.read();
  REQUIRE(found.cases.size() == 1);
  REQUIRE(found.cases[0].measured.size() == 1);
  CHECK(found.cases[0].measured[0].metric == "throughput");
  CHECK(option(found.cases[0], "tensor-parallel") == "2");
}

TEST_CASE("a stage row has its own rate, requests and shared system prompts") {
  const Tables tables(
      "blis_ground_truth.csv",
      "experiment,stage,gpu,tp,model,weight_dtype,engine,engine_version,workload,stages,"
      "system_prompt_tokens,question_tokens,output_tokens,unique_system_prompts,max_num_seqs,"
      "max_num_batched_tokens,e2e_mean_ms,itl_mean_ms,ttft_mean_ms\n"
      "64,1,H100,1,Qwen/Qwen2.5-7B-Instruct,FP16,vLLM,0.15.1 (stated),general,"
      "600 s at 2.5 req/s; 600 s at 6 req/s,100,447,248,9,128,2048,1772,7.02,26.7\n"
      "64,summary,H100,1,Qwen/Qwen2.5-7B-Instruct,FP16,vLLM,0.15.1 (stated),general,"
      "600 s at 2.5 req/s; 600 s at 6 req/s,100,447,248,9,128,2048,1772,7.02,26.7\n");
  const auto found = tables.read();
  REQUIRE(found.cases.size() == 1);
  CHECK(option(found.cases[0], "request-rate") == "6");
  CHECK(option(found.cases[0], "requests") == "3600");  // 600 s x 6
  CHECK(option(found.cases[0], "prompt-tokens") == "547");
  CHECK(option(found.cases[0], "prefix-groups") == "9");
  CHECK(skipped_of(found, "blis").size() == 1);
}

TEST_CASE("a llama-bench row is one stream: pp a prompt, tg an answer") {
  const std::string row = "RTX 4090,1,llama.cpp llama-bench,Llama-3-8B,F16,";
  const Tables tables("llamacpp_xiongjiedai_llama3.csv",
                      "gpu,gpu_count,engine,model,weight_format,phase,tokens,throughput_tok_s,"
                      "suspect\n" +
                          row + "pp,512,1000,\n" + row + "tg,512,50,\n" + row +
                          "pp,512,10,far below the same card at Q4_K_M\n");
  const auto found = tables.read();
  REQUIRE(found.cases.size() == 2);
  CHECK(found.cases[0].measured[0].metric == "ttft");
  CHECK(found.cases[0].measured[0].value == Approx(0.512));  // 512 tokens at 1000 per second
  CHECK(found.cases[1].measured[0].metric == "tpot");
  CHECK(found.cases[1].measured[0].value == Approx(0.02));
  CHECK(skipped_of(found, "llama.cpp").size() == 1);
}

TEST_CASE("a prompt iteration is a batch that arrives at once and fits one step") {
  const Tables tables("splitwise_perf_model.csv",
                      "model,gpu,hardware_label,tp,weight_dtype,engine,prompt_tokens,batch,"
                      "output_tokens,prompt_time_median_ms\n"
                      "llama2-70b,A100 SXM 80GB (DGX),a100-80gb,2,fp16,"
                      "\"vLLM (Splitwise testbed, 2023)\",512,8,128,900\n");
  const auto found = tables.read();
  REQUIRE(found.cases.size() == 1);
  CHECK(found.cases[0].id == "llama2-70b a100-80gb TP 2, 8 x 512");
  CHECK(option(found.cases[0], "requests") == "8");
  CHECK(option(found.cases[0], "max-num-batched-tokens") == "4096");  // 8 x 512
  CHECK(found.cases[0].measured[0].value == Approx(0.9));
}

TEST_CASE("a damaged table is an error with file, line and column") {
  const Tables tables("iog_vllm085_sharegpt.csv",
                      bench_head +
                          "row,RTX 4090,1,1,1,vLLM,0.8.5,Qwen/Qwen3-8B,float16,auto,"
                          "open loop,200,200,nominal fixed,200,four,,1,1,1,\n");
  try {
    static_cast<void>(tables.read());
    FAIL("accepted");
  } catch (const InputError& error) {
    REQUIRE(error.problems().size() == 1);
    CHECK(error.problems()[0].position == "2:1");
    CHECK(error.problems()[0].pointer == "request_rate_rps");
  }
}

TEST_CASE("rows of another length and missing columns are errors") {
  CHECK_THROWS_AS(Tables("iog_vllm085_sharegpt.csv", bench_head + "a,b\n").read(), InputError);
  CHECK_THROWS_AS(Tables("iog_vllm085_sharegpt.csv", "case_id,gpu\nx,y\n").read(), InputError);
  CHECK_THROWS_AS(Tables("other.csv", "a\n1\n").read(), InputError);  // nothing that is known
}

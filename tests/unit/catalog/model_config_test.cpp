#include "gpucap/catalog/models.hpp"
#include "gpucap/core/error.hpp"
#include "gpucap/core/file.hpp"

#include <filesystem>
#include <unistd.h>

#include "support/catch.hpp"

using namespace gpucap;
using catalog::import_config;

namespace {
const std::string shapes =
    R"("num_hidden_layers": 4, "hidden_size": 1024, "intermediate_size": 2048,
  "num_attention_heads": 8, "vocab_size": 1000, "max_position_embeddings": 4096)";

// A checkpoint's folder, one per process because tests run beside each other; gone at the end.
class Checkpoint {
 public:
  explicit Checkpoint(const std::string& config) {
    std::filesystem::create_directories(folder());
    write_file(file(), config);
  }
  ~Checkpoint() { std::filesystem::remove_all(root_); }
  Checkpoint(const Checkpoint&) = delete;
  [[nodiscard]] std::filesystem::path folder() const { return root_ / "Tiny-1B"; }
  [[nodiscard]] std::filesystem::path file() const { return folder() / "config.json"; }

 private:
  std::filesystem::path root_ =
      std::filesystem::temp_directory_path() / ("gpucap-model-config-" + std::to_string(getpid()));
};

std::string config_of(const std::string& architecture, const std::string& more) {
  return "{\"architectures\": [\"" + architecture + "\"], " + shapes + more + "}";
}

models::Transformer read(const std::string& text) {
  return import_config(Checkpoint(text).file());
}

models::Transformer read_as(const std::string& architecture, const std::string& more) {
  return read(config_of(architecture, more));
}

std::string faults(const std::string& architecture, const std::string& more) {
  try {
    read_as(architecture, more);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
}  // namespace

TEST_CASE("what a config leaves out is assumed and said") {
  const auto m = read_as("LlamaForCausalLM", "");
  CHECK(m.id == "tiny-1b");
  CHECK(m.kv_heads == 8);
  CHECK(m.head_dim == 128);
  CHECK_FALSE(m.tied_embeddings);
  REQUIRE(m.assumed.size() == 3);
  CHECK(m.assumed[0] == "num_key_value_heads is missing: 8 taken, as many as heads");
}

TEST_CASE("an explicit head size wins over hidden / heads") {
  CHECK(read_as("LlamaForCausalLM", R"(, "head_dim": 64)").head_dim == 64);
}

TEST_CASE("the usual further keys are legal, others are named, shape keys are refused") {
  const auto m = read_as("LlamaForCausalLM", R"(, "torch_dtype": "float16", "bos_token_id": 1,
    "num_key_value_heads": 8, "tie_word_embeddings": false, "transformers_version": "4.43",
    "rope_scaling": {"rope_type": "llama3", "factor": 8.0}, "auto_map": {"a": "b"},
    "num_experts": null, "flavour": "plain")");
  CHECK(m.dtype == Dtype::fp16);
  CHECK(m.assumed == std::vector<std::string>{"\"flavour\" is not read"});
  CHECK(m.max_positions == 4096);
  CHECK(says(faults("LlamaForCausalLM", R"(, "num_experts": 8)"),
             "/num_experts: \"num_experts\" may change the model's shape, and a LlamaForCausalLM"));
  CHECK(says(faults("LlamaForCausalLM", R"(, "head_dimm": 8)"), "/head_dimm: "));
  CHECK(says(faults("LlamaForCausalLM", R"(, "attention_bias": true)"), "/attention_bias: "));
}

TEST_CASE("faults are located and all of them are reported") {
  const auto text = faults("DeepseekV3ForCausalLM", R"(, "num_key_value_heads": [8, 8, 0, 4])");
  CHECK(says(text, "config.json:2:"));
  CHECK(says(text, "KV heads that differ by layer are not modelled"));
  CHECK(says(text, "\"kv_lora_rank\" is missing"));
  CHECK(says(text, "\"n_routed_experts\" is missing"));
  CHECK(says(faults("LlamaForCausalLM", R"(, "quantization_config": {"bits": 4})"),
             "/quantization_config: \"quant_method\" is missing"));
  CHECK(says(faults("T5Model", ""), "unknown architecture \"T5Model\"; known: Llama"));
  CHECK(says(faults("LlamaForCausalLM", R"(, "num_key_value_heads": 3)"),
             "8 heads are no multiple of 3 KV heads"));
  CHECK(says(faults("LlamaForCausalLM", R"(, "num_key_value_heads": 0)"), "must be above 0"));
}

TEST_CASE("windows follow the flag, the first window layer and the layer types") {
  CHECK_FALSE(read_as("Qwen2ForCausalLM", R"(, "use_sliding_window": false,
    "sliding_window": 512, "max_window_layers": 2)")
                  .sliding_window.has_value());
  const auto qwen = read_as("Qwen2ForCausalLM", R"(, "use_sliding_window": true,
    "sliding_window": 512, "max_window_layers": 3)");
  CHECK(qwen.sliding_window == 512);
  CHECK(qwen.sliding_layers == 1);
  const auto listed = read_as("MistralForCausalLM", R"(, "sliding_window": 512, "layer_types":
    ["sliding_attention", "full_attention", "sliding_attention", "full_attention"])");
  CHECK(listed.sliding_layers == 2);
  CHECK(says(faults("MistralForCausalLM", R"(, "sliding_window": 512, "layer_types":
    ["chunked_attention", "full_attention", "full_attention", "full_attention"])"),
             "layer type \"chunked_attention\" is not modelled"));
  CHECK(says(faults("MistralForCausalLM", R"(, "layer_types": ["full_attention"])"),
             "1 entries for 4 layers"));
}

TEST_CASE("YaRN stretches the positions, a partial rotation shrinks the rotary table") {
  const auto m = read_as("Qwen2ForCausalLM", R"(, "partial_rotary_factor": 0.25, "rope_scaling":
    {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096})");
  CHECK(m.max_positions == 16384);
  CHECK(models::rotary_table_bytes(m) == 16384 * 32 * 2);
}

TEST_CASE("the checkpoint's quantisation is read, unknown kinds are refused") {
  const auto format = [](const std::string& settings) {
    return *read_as("LlamaForCausalLM", ", \"quantization_config\": {" + settings + "}")
                .quantization;
  };
  const auto awq = format(R"("quant_method": "awq", "bits": 4, "group_size": 64)");
  CHECK(awq.name == "int4-awq");
  CHECK(awq.scale_bytes_per_weight == Approx(2.5 / 64));
  CHECK(format(R"("quant_algo": "FP8", "producer": {"name": "modelopt"})").name == "fp8");
  CHECK(format(R"("quant_method": "gptq", "bits": 8, "group_size": -1)").name == "int8-gptq");
  CHECK(format(R"("quant_method": "fp8")").name == "fp8");
  CHECK(format(R"("quant_method": "fp8", "weight_block_size": [64, 64])").group == 64);
  CHECK(format(R"("quant_method": "bitsandbytes", "load_in_4bit": true)").scale_bytes_per_weight ==
        Approx(4.0 / 64));
  CHECK(format(R"("quant_method": "compressed-tensors", "config_groups": {"group_0": {
    "weights": {"num_bits": 8, "type": "int"}, "input_activations": {"num_bits": 8}}})")
            .name == "int8-w8a8");
  CHECK(says(faults("LlamaForCausalLM", R"(, "quantization_config": {"quant_method": "gptqq"})"),
             "unknown quantisation method \"gptqq\"; did you mean \"gptq\"?"));
  CHECK(says(
      faults("LlamaForCausalLM",
             R"(, "quantization_config": {"quant_method": "modelopt", "quant_algo": "NVFP4"})"),
      "NVFP4 is not modelled"));
}

TEST_CASE("a nested text_config is the model, the vision tower around it is said to be left out") {
  const auto m = read(R"({"architectures": ["Qwen3_5ForConditionalGeneration"],
    "tie_word_embeddings": true, "vision_config": {"depth": 27}, "image_token_id": 5,
    "text_config": {)" +
                      shapes + R"(, "num_key_value_heads": 2, "dtype": "bfloat16",
    "linear_num_key_heads": 2, "linear_key_head_dim": 128, "linear_num_value_heads": 4,
    "linear_value_head_dim": 128, "linear_conv_kernel_dim": 4, "mtp_num_hidden_layers": 1}})");
  CHECK(m.tied_embeddings);
  CHECK(m.recurrent_layers == 3);
  // 4 x 128 x 128 x 4 B, and (2 x 2 + 4) x 128 channels x 3 steps x 2 B.
  CHECK(m.recurrent_state_bytes == 262144 + 6144);
  CHECK(m.assumed ==
        std::vector<std::string>{"the vision tower (vision_config) is not loaded",
                                 "the draft module (mtp_num_hidden_layers) is not loaded"});
}

TEST_CASE("a folder with a config.json and a path are models too") {
  const Checkpoint checkpoint(config_of("LlamaForCausalLM", ""));
  const auto book = catalog::load_models(GPUCAP_SOURCE_DIR);
  CHECK(book.find(checkpoint.folder().string()).hidden == 1024);
  CHECK(book.find(checkpoint.file().string()).hidden == 1024);
  CHECK_THROWS_AS(book.find("no/such/config.json"), InputError);
}

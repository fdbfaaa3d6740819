#include <algorithm>

#include "support/catch.hpp"
#include "support/memory_shapes.hpp"

using namespace gpucap;
using test::Asked;
using test::transformer;

namespace {

Bytes term(const perf::ServingFootprint& f, const std::string& name) {
  for (const auto& [key, value] : f.terms) {
    if (key == name) return value;
  }
  return {};
}

Asked llama_on_4090() {
  return {transformer(test::llama_31_8b), test::rtx_4090(), "vllm-0.19"};
}

}  // namespace

TEST_CASE("the parts add up to what a program sees of the card, for every engine") {
  for (const auto& engine : test::engines().all()) {
    Asked asked(transformer(test::qwen25_7b), test::rtx_4090(), engine.id.c_str());
    const auto f = asked.answer();
    INFO(engine.id << ": " << f.reason);
    CHECK(f.feasible);
    const auto sum = f.weights + f.kv_cache + f.activations + f.other + f.free;
    CHECK(sum.base() == 25250627584.0);
    Bytes named;
    for (const auto& [name, value] : f.terms) named += value;
    CHECK(named.base() == Approx((f.activations + f.other).base()).epsilon(1e-12));
    CHECK(f.activations > 0.1 * unit::GiB);
    CHECK(f.free >= Bytes{});
  }
}

TEST_CASE("more batched tokens or sequences never give more KV, a larger share never less") {
  auto asked = llama_on_4090();
  std::int64_t before = 1'000'000'000;
  for (const std::int64_t tokens : {512, 2048, 8192, 16384, 32768}) {
    asked.question.max_num_batched_tokens = tokens;
    const auto now = asked.answer().kv_cache_tokens;
    CHECK(now <= before);
    before = now;
  }
  asked.question.max_num_batched_tokens = 2048;
  before = 1'000'000'000;
  for (const std::int64_t sequences : {1, 64, 256, 1024}) {
    asked.question.max_num_seqs = sequences;
    const auto now = asked.answer().kv_cache_tokens;
    CHECK(now <= before);
    before = now;
  }
  before = 0;
  for (const double share : {0.75, 0.8, 0.9, 0.95}) {
    asked.question.gpu_memory_utilization = share;
    const auto now = asked.answer().kv_cache_tokens;
    CHECK(now > before);
    before = now;
  }
}

TEST_CASE("the peak is the larger of logits and MLP, by hand") {
  auto asked = llama_on_4090();
  // 14 x 256 x 128256 = 459,669,504 and 4 x 2048 x 4096 = 33,554,432; the MLP would take
  // 2 x 2048 x (3 x 14336 + 4096) = 192,937,984.
  const auto f = asked.answer();
  CHECK(term(f, "logits_and_sampler").base() == 459669504);
  CHECK(term(f, "hidden_states").base() == 33554432);
  CHECK(term(f, "mlp").base() == 0);
  // 131072 positions x 128 x 2 bytes
  CHECK(term(f, "rotary_tables").base() == 33554432);
  // One sequence: 14 x 128256 = 1.8 MB, so the MLP wins.
  asked.question.max_num_seqs = 1;
  CHECK(term(asked.answer(), "mlp").base() == 192937984);
}

TEST_CASE("the allocator's rounding explains three logged weight sizes to 0.01 GiB") {
  // Qwen2.5-7B: gate_up is 259 MiB and takes 260, qkv 31.5 takes 32, down 129.5 takes 130, o keeps
  // its 24.5; 2 MiB in each of 28 layers and 0.5 in each table: 57 MiB.
  Asked seven(transformer(test::qwen25_7b), test::card(79.22), "vllm-0.6");
  auto f = seven.answer();
  CHECK(term(f, "allocator_rounding").in(unit::MiB) == Approx(57).epsilon(0.01));
  const auto logged = [](const perf::ServingFootprint& answer) {
    return (answer.weights + term(answer, "rotary_tables") + term(answer, "allocator_rounding"))
        .in(unit::GiB);
  };
  CHECK(logged(f) == Approx(14.2487).margin(0.002));
  Asked fourteen(transformer(test::r1_qwen_14b), test::rtx_4090(), "vllm-0.6");
  fourteen.question.tensor_parallel = 2;
  CHECK(logged(fourteen.answer()) == Approx(13.95).margin(0.01));
  Asked thirty(transformer(test::r1_qwen_32b), test::card(79.22), "vllm-0.6");
  thirty.question.tensor_parallel = 2;
  CHECK(logged(thirty.answer()) == Approx(30.73).margin(0.01));
}

TEST_CASE("a given pool is taken as it is and still has to fit the card") {
  auto asked = llama_on_4090();
  asked.question.kv_cache_tokens = 41408;
  auto f = asked.answer();
  CHECK(f.feasible);
  CHECK(f.kv_cache_tokens == 41408);
  CHECK(f.kv_blocks == 2587);
  CHECK(f.kv_cache.base() == 2588.0 * 16 * 131072);
  asked.question.kv_cache_tokens = 80000;  // 9.8 GiB beside 15 GiB of weights
  f = asked.answer();
  CHECK_FALSE(f.feasible);
  CHECK(f.reason.find("of the card's 23.52 GiB") != std::string::npos);
  asked.question.kv_cache_tokens.reset();
  asked.question.kv_cache_memory = 2 * unit::GiB;  // 1024 blocks of 2 MiB
  CHECK(asked.answer().kv_cache_tokens == 16384);
}

TEST_CASE("max_model_len is cut to the pool on its own, but refused when asked for") {
  auto asked = llama_on_4090();
  auto f = asked.answer();
  CHECK(f.feasible);
  CHECK(f.max_model_len_cut);
  CHECK(f.max_model_len == f.kv_blocks * 16);
  CHECK(f.largest_concurrency == 1);
  asked.question.max_model_len = 65536;
  f = asked.answer();
  CHECK_FALSE(f.feasible);
  CHECK(f.reason.find("one request of max_model_len 65536 needs 8.00 GiB") == 0);
  asked.question.max_model_len = 200000;
  CHECK(asked.answer().reason.find("beyond the 131072 tokens of the model") != std::string::npos);
  asked.question.max_model_len = 8192;
  f = asked.answer();
  CHECK(f.feasible);
  CHECK_FALSE(f.max_model_len_cut);
  CHECK(f.largest_concurrency == f.kv_blocks / 512);
}

TEST_CASE("the activation buffer decides: weights and KV leave room that it needs") {
  // Weights fit with 0.3 GiB to spare, the buffer needs 0.46: the answer is no.
  auto asked = llama_on_4090();
  asked.gpu.memory_visible = (14.99 + 0.3) / 0.9 * unit::GiB;
  const auto f = asked.answer();
  CHECK_FALSE(f.feasible);
  CHECK(f.reason.find("leave no room for a KV cache") != std::string::npos);
  CHECK(f.kv_cache.base() == 0);
}

TEST_CASE("graphs that were always seen larger than the rest of the card make it infeasible") {
  Asked asked(transformer(test::qwen25_7b), test::rtx_4090(), "vllm-0.9.2");
  asked.question.gpu_memory_utilization = 0.98;  // leaves 0.47 GiB for 1.44 of graphs
  const auto f = asked.answer();
  CHECK_FALSE(f.feasible);
  CHECK(f.reason.find("graphs") != std::string::npos);
  CHECK(f.free < Bytes{});
}

TEST_CASE("layer kinds share the pool in groups of the rarest kind") {
  // 40 of 48 layers with a window of 1024: groups of 8 layers, 1 whole and 5 windowed.
  auto shape = test::llama_31_8b;
  shape.layers = 48;
  Asked asked(transformer(shape), test::card(79.19), "vllm-0.19");
  asked.model.sliding_window = 1024;
  asked.model.sliding_layers = 40;
  const auto f = asked.answer();
  CHECK(f.pool.full_groups == 1);
  CHECK(f.pool.window_groups == 5);
  CHECK(f.pool.bytes_per_block == 16 * 4096 * 8);
  // 32768 tokens: 2048 blocks whole, and (1023 + 2048) / 16 + 1 = 193 in each window group.
  CHECK(perf::blocks_of_sequence(f.pool, 32768) == 2048 + 5 * 193);
  // 0.8.5 keeps window layers whole: one group of 48 layers.
  asked.question.engine = test::engines().find("vllm-0.8.5");
  CHECK(asked.answer().pool.groups() == 1);
}

TEST_CASE("ranks joined by NVLink hold larger buffers of collectives than ranks on PCIe") {
  auto asked = llama_on_4090();
  asked.question.engine = test::engines().find("vllm-0.10");
  asked.question.tensor_parallel = 2;
  const auto pcie = asked.answer();
  asked.gpu.nvlink = 600 * unit::GB_per_s;
  const auto nvlink = asked.answer();
  CHECK(term(pcie, "non_torch").in(unit::GiB) == Approx(0.23));
  CHECK(term(nvlink, "non_torch").in(unit::GiB) == Approx(1.6));
  CHECK(pcie.kv_cache_tokens > nvlink.kv_cache_tokens);
}

TEST_CASE("a latent is held whole by every rank in blocks of 64") {
  auto shape = test::llama_31_8b;
  Asked asked(transformer(shape), test::card(79.19), "vllm-0.19");
  asked.model.latent = models::LatentAttention{0, 512, 128, 64, 128};
  const auto one = asked.answer();
  asked.question.tensor_parallel = 2;
  const auto two = asked.answer();
  CHECK(one.kv_bytes_per_token == 32 * 576 * 2);
  CHECK(two.kv_bytes_per_token == one.kv_bytes_per_token);
  CHECK(one.pool.block_tokens == 64);
}

TEST_CASE("what is assumed about the card or the engine is said") {
  auto asked = llama_on_4090();
  CHECK(asked.answer().notes.size() == 1);  // only that the length was cut to the pool
  asked.gpu.sources["memory_visible"] = {"assumed", "total less 600 MiB"};
  asked.question.tensor_parallel = 2;
  const auto notes = asked.answer().notes;
  const auto says = [&](const std::string& text) {
    return std::any_of(notes.begin(), notes.end(), [&](const std::string& note) {
      return note.find(text) != std::string::npos;
    });
  };
  CHECK(says("visible memory of rtx-4090 is assumed: total less 600 MiB"));
  CHECK(says("vllm-0.19: non_torch_pcie is assumed"));
  CHECK_FALSE(says("non_torch_parallel"));
}

TEST_CASE("a split that the model does not allow is a reason, not a crash") {
  auto asked = llama_on_4090();
  asked.question.tensor_parallel = 3;
  CHECK(asked.answer().reason.find("cannot be split over 3 cards") != std::string::npos);
}

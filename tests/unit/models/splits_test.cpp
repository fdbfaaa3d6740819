#include "samples.hpp"
#include "support/catch.hpp"

using namespace gpucap::models;

TEST_CASE("a split that does not divide the model says what it cannot divide") {
  CHECK(tensor_parallel_problem(llama_8b(), 3) == "32 heads cannot be split over 3 cards");
  CHECK(tensor_parallel_problem(llama_8b(), 0) == "tensor parallelism needs at least 1 card");
  CHECK_FALSE(tensor_parallel_problem(llama_8b(), 8).has_value());
  CHECK_FALSE(tensor_parallel_problem(llama_8b(), 16).has_value());  // KV heads replicated twice
  auto odd = llama_8b();
  odd.heads = 24;
  odd.kv_heads = 8;
  odd.head_dim = 128;
  CHECK(tensor_parallel_problem(odd, 12) ==
        "8 KV heads can neither be split nor replicated over 12 cards");
  auto narrow = llama_8b();
  narrow.ffn = 14338;
  CHECK(tensor_parallel_problem(narrow, 4) == "14338 MLP columns cannot be split over 4 cards");
}

TEST_CASE("an expert cut through a scale group is refused, in bf16 it is not") {
  // Qwen3-235B: experts of 1536 over 8 cards are 192 wide, no multiple of a block of 128.
  auto m = small_mixture();
  m.experts->ffn = 1536;
  CHECK_FALSE(tensor_parallel_problem(m, *weight_format(m, "bf16"), 8).has_value());
  CHECK(tensor_parallel_problem(m, *weight_format(m, "fp8-block"), 8) ==
        "expert rows of 192 weights on a card do not hold whole scale groups of 128 (fp8-block)");
  CHECK_FALSE(tensor_parallel_problem(m, *weight_format(m, "fp8-block"), 4).has_value());
}

TEST_CASE("left-over layers go to the stages counted back from the last but one") {
  auto m = llama_8b();
  m.layers = 126;
  // 126 over 4: 31 each, two left over: stages 2 and 1.
  const auto stages = pipeline_stages(m, 4);
  REQUIRE(stages.size() == 4);
  CHECK(stages[0].layers == 31);
  CHECK(stages[1].layers == 32);
  CHECK(stages[2].layers == 32);
  CHECK(stages[3].layers == 31);
  CHECK(stages[0].first);
  CHECK_FALSE(stages[0].last);
  CHECK(stages[3].last);
  CHECK(pipeline_parallel_problem(m, 127) == "126 layers cannot fill 127 pipeline stages");
  CHECK_FALSE(pipeline_parallel_problem(m, 126).has_value());
}

TEST_CASE("stages of a mixture and of a hybrid know which layers they hold") {
  const auto mixture = pipeline_stages(small_mixture(), 2);
  CHECK(mixture[0].dense == 1);
  CHECK(mixture[0].sparse == 1);
  CHECK(mixture[1].dense == 0);
  CHECK(mixture[1].sparse == 2);
  // Attending layers are number 3 and 7 of 8: three stages of 3, 3, 2 layers hold 0, 1 and 1.
  const auto hybrid = pipeline_stages(small_hybrid(), 3);
  CHECK(hybrid[0].attending == 0);
  CHECK(hybrid[1].attending == 1);
  CHECK(hybrid[2].attending == 1);
  CHECK(hybrid[2].recurrent == 1);
}

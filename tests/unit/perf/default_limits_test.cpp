#include "support/catch.hpp"
#include "support/memory_shapes.hpp"

using namespace gpucap;
using test::card;
using test::engines;

namespace {
std::pair<std::int64_t, std::int64_t> limits(const char* engine, const hardware::Gpu& gpu,
                                             std::int64_t length = 8192) {
  const auto limits = perf::default_limits(*engines().find(engine), gpu, length);
  return {limits.max_num_batched_tokens, limits.max_num_seqs};
}
using Pair = std::pair<std::int64_t, std::int64_t>;
}  // namespace

TEST_CASE("large cards get large batches, an A100 80 GB only in 0.8.5") {
  const auto a100 = card(79.25, "a100-sxm-80gb");
  const auto h100 = card(79.19, "h100-sxm-80gb");
  CHECK(limits("vllm-0.8.5", a100) == Pair{8192, 1024});
  CHECK(limits("vllm-0.9.2", a100) == Pair{2048, 256});
  CHECK(limits("vllm-0.19", a100) == Pair{2048, 256});
  CHECK(limits("vllm-0.19", h100) == Pair{8192, 1024});
  CHECK(limits("vllm-0.19", test::rtx_4090()) == Pair{2048, 256});
}

TEST_CASE("V0 batches whole prompts up to 32768 tokens and chunks beyond") {
  CHECK(limits("vllm-0.6", test::rtx_4090(), 1024) == Pair{2048, 256});
  CHECK(limits("vllm-0.6", test::rtx_4090(), 32768) == Pair{32768, 256});
  CHECK(limits("vllm-0.6", test::rtx_4090(), 32769) == Pair{512, 256});
  CHECK(perf::default_limits(*engines().find("vllm-0.6"), test::rtx_4090(), 40000).chunked_prefill);
}

TEST_CASE("a single-stream runtime runs one sequence on every card") {
  CHECK(limits("llama-cpp", card(79.19, "h100-sxm-80gb")) == Pair{512, 1});
}

#include <algorithm>

#include "samples.hpp"
#include "support/catch.hpp"

using namespace gpucap::models;

namespace {
Gemm gemm(const std::vector<Gemm>& gemms, const std::string& name) {
  const auto found =
      std::find_if(gemms.begin(), gemms.end(), [&](const Gemm& g) { return g.name == name; });
  REQUIRE(found != gemms.end());
  return *found;
}
}  // namespace

TEST_CASE("column splits divide n, row splits divide k") {
  const auto gemms = layer_gemms(llama_8b(), 2);
  REQUIRE(gemms.size() == 4);
  CHECK(gemm(gemms, "qkv").n == (16 + 2 * 4) * 128);
  CHECK(gemm(gemms, "qkv").k == 4096);
  CHECK(gemm(gemms, "o").n == 4096);
  CHECK(gemm(gemms, "o").k == 16 * 128);
  CHECK(gemm(gemms, "gate_up").n == 14336);
  CHECK(gemm(gemms, "down").k == 7168);
  CHECK(gemm(gemms, "down").count == 32);
  CHECK(head_gemm(llama_8b(), 2).n == 64128);
}

TEST_CASE("beyond the KV heads each rank still projects one key and one value head") {
  // 32 heads over 16 ranks: 2 query heads, 1 key and 1 value head.
  CHECK(gemm(layer_gemms(llama_8b(), 16), "qkv").n == 4 * 128);
}

TEST_CASE("latent down-projections are whole on every rank, up-projections are split") {
  const auto gemms = layer_gemms(latent(), 2);
  CHECK(gemm(gemms, "kv_a").n == 576);
  CHECK(gemm(gemms, "q").n == 8 * 192);
  CHECK(gemm(gemms, "kv_b").n == 8 * 256);
  CHECK(gemm(gemms, "kv_b").k == 512);
  CHECK(gemm(gemms, "o").k == 8 * 128);
}

TEST_CASE("dense layers, sparse layers and the router appear as often as they run") {
  const auto gemms = layer_gemms(small_mixture(), 1);
  CHECK(gemm(gemms, "gate_up").count == 1);
  CHECK(gemm(gemms, "router").count == 3);
  CHECK(gemm(gemms, "router").n == 8);
  CHECK(gemm(gemms, "qkv").count == 4);
}

TEST_CASE("the products of a dense model hold its matmul parameters") {
  std::int64_t weights = head_gemm(llama_8b(), 1).n * head_gemm(llama_8b(), 1).k;
  for (const auto& g : layer_gemms(llama_8b(), 1)) weights += g.n * g.k * g.count;
  CHECK(weights == matmul_parameters(llama_8b()));
}

TEST_CASE("a hybrid runs its attention on the attending layers only") {
  const auto gemms = layer_gemms(small_hybrid(), 1);
  CHECK(gemm(gemms, "qkv").count == 2);
  CHECK(gemm(gemms, "linear_qkvz").count == 6);
  // Keys and queries 2 x 16 x 128, values and gates 2 x 48 x 128.
  CHECK(gemm(gemms, "linear_qkvz").n == 16384);
}

// Every kernel of the processor against its reference, at sizes that fill no block evenly.
#include "gpucap/measure/decoder.hpp"
#include "gpucap/measure/device.hpp"

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::measure;

namespace {

double error_of(const Work& work, int threads) {
  return open_cpu(threads)->prepare(work, "eigen", 11)->error();
}

const std::vector<Work>& works() {
  static const std::vector<Work> list = {Stream{Stream::Kind::copy, 1000 * unit::KiB},
                                         Stream{Stream::Kind::triad, 1000 * unit::KiB},
                                         Product{Dtype::fp32, Dtype::fp32, 1, 97, 130},
                                         Product{Dtype::fp32, Dtype::fp32, 37, 200, 65},
                                         Attention{6, 2, 64, 1, 77, 77},
                                         Attention{4, 4, 32, 1, 64, 64},
                                         Attention{6, 2, 64, 3, 1, 53},
                                         Attention{4, 4, 64, 2, 1, 16},
                                         Pass{Pass::Kind::rms_norm, 7, 100},
                                         Pass{Pass::Kind::rope, 301, 128},
                                         Pass{Pass::Kind::silu_mul, 5, 333},
                                         Launch{false, 3}};
  return list;
}

}  // namespace

TEST_CASE("kernels of a processor give what their references give, on one thread and three") {
  for (const Work& work : works()) {
    for (const int threads : {1, 3}) CHECK(error_of(work, threads) < 1e-4);
  }
}

TEST_CASE("work that a processor does not do has no implementation") {
  const auto cpu = open_cpu(1);
  CHECK(cpu->implementations(Transfer{}).empty());
  CHECK(cpu->implementations(AllReduce{}).empty());
  CHECK(cpu->implementations(Product{Dtype::bf16, Dtype::fp32, 1, 1, 1}).empty());
  CHECK(cpu->implementations(Stream{}) == std::vector<std::string>{"eigen"});
  CHECK_THROWS_AS(cpu->prepare(Attention{4, 4, 64, 2, 32, 32}, "eigen", 1), Unavailable);
}

TEST_CASE("a decode step of the decoder gives the logits that a pass over the prompt gives") {
  // Paged cache, positions and grouped heads must agree for that.
  const DecoderShape shape{2, 96, 160, 6, 2, 16, 200};
  for (const std::int64_t tokens : {2, 16, 17, 40}) {
    CHECK(Decoder(shape, 2, 5).prefill_against_decode(tokens) < 1e-4);
  }
}

TEST_CASE("the decoder's logits are numbers") {
  Decoder decoder({2, 64, 96, 4, 2, 16, 100}, 1, 5);
  CHECK(decoder.prefill(9)->error() == 0);
  CHECK(decoder.decode(3, 20)->error() == 0);
}

#include "gpucap/measure/device.hpp"

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::measure;

namespace {

/// Device 0; nullptr, and a message, where there is none.
std::unique_ptr<Device> open_device() {
  try {
    return open_cuda(0);
  } catch (const Unavailable& missing) {
    WARN("skipped: " << missing.what());
    return nullptr;
  }
}

/// Runs the work in every way that the device has, and compares.
void check(Device& device, const Work& work) {
  for (const std::string& way : device.implementations(work)) {
    const std::unique_ptr<Task> task = device.prepare(work, way, 3);
    for (const Cache cache : {Cache::cold, Cache::warm}) {
      const Seconds time = task->run(cache, 3);
      const double error = task->error();
      INFO("kind " << work.index() << " by " << way << ": " << time.in(unit::us) << " us");
      CHECK(time > Seconds{});
      CHECK(error <= task->tolerance());
    }
  }
}

void check_all(const std::vector<Work>& all) {
  const std::unique_ptr<Device> device = open_device();
  if (!device) return;
  for (const Work& work : all) check(*device, work);
}

}  // namespace

TEST_CASE("streams on the device meet their reference") {
  check_all(
      {Stream{Stream::Kind::copy, 100 * unit::byte}, Stream{Stream::Kind::copy, 64 * unit::MB},
       Stream{Stream::Kind::triad, 1000 * unit::byte}, Stream{Stream::Kind::triad, 64 * unit::MB}});
}

TEST_CASE("products on the device meet their reference, whatever their size") {
  std::vector<Work> all;
  struct Format {
    Dtype dtype, accumulate;
  };
  for (const Format& f : {Format{Dtype::bf16, Dtype::fp32}, Format{Dtype::fp16, Dtype::fp32},
                          Format{Dtype::fp16, Dtype::fp16}, Format{Dtype::int8, Dtype::fp32},
                          Format{Dtype::fp8, Dtype::fp32}}) {
    all.emplace_back(Product{f.dtype, f.accumulate, 1, 1, 1});
    all.emplace_back(Product{f.dtype, f.accumulate, 65, 131, 77});
    all.emplace_back(Product{f.dtype, f.accumulate, 16, 4096, 4096});
    all.emplace_back(Product{f.dtype, f.accumulate, 4096, 4096, 1024});
  }
  check_all(all);
}

TEST_CASE("attention on the device meets its reference, whatever its lengths") {
  check_all({Attention{32, 8, 128, 1, 1024, 1024}, Attention{4, 4, 64, 3, 65, 65},
             Attention{8, 2, 128, 1, 100, 1000}, Attention{32, 8, 128, 16, 1, 1000},
             Attention{20, 1, 64, 2, 1, 47}, Attention{1, 1, 128, 1, 1, 1}});
}

TEST_CASE("element-wise kernels on the device meet their reference") {
  for (const auto kind : {Pass::Kind::rms_norm, Pass::Kind::rope, Pass::Kind::silu_mul}) {
    check_all({Pass{kind, 1, 128}, Pass{kind, 100, 4096}, Pass{kind, 33, 14336}});
  }
}

TEST_CASE("launches, copies and all-reduces on the device do what they say") {
  check_all({Launch{false, 20}, Launch{true, 20},
             Transfer{Transfer::Kind::host_to_device, 64 * unit::MB},
             Transfer{Transfer::Kind::device_to_host, 64 * unit::MB},
             Transfer{Transfer::Kind::peer, 64 * unit::MB},
             Transfer{Transfer::Kind::staged, 64 * unit::MB}, AllReduce{2, 1000 * unit::byte},
             AllReduce{2, 16 * unit::MB}});
}

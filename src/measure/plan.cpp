#include "gpucap/measure/plan.hpp"

#include <algorithm>
#include <utility>

namespace gpucap::measure {
namespace {

/// Shapes and sizes of one class of device.
struct Sizes {
  Dtype dtype = Dtype::bf16;  ///< of the products that are measured in full
  std::vector<Product> further;
  std::vector<std::pair<std::int64_t, std::int64_t>> matrices;  ///< (n, k)
  std::vector<std::int64_t> rows;
  std::vector<Attention> heads;  ///< heads alone count
  std::vector<std::int64_t> prompts, contexts, batches;
  std::int64_t hidden = 0, ffn = 0;
  std::vector<std::int64_t> tokens;
  std::vector<double> streams_mib;
};

/// Products of other formats than the main one, at the sizes that tell their rate and traffic.
std::vector<Product> other_formats() {
  std::vector<Product> list;
  for (const auto& [dtype, accumulate] : {std::pair{Dtype::fp16, Dtype::fp32},
                                          {Dtype::fp16, Dtype::fp16},
                                          {Dtype::int8, Dtype::int8},
                                          {Dtype::fp8, Dtype::fp32}}) {
    for (const std::int64_t m : {16, 256, 2048, 8192}) {
      list.push_back({dtype, accumulate, m, 4096, 4096});
      list.push_back({dtype, accumulate, m, 28672, 4096});
    }
  }
  return list;
}

/// Layers of decoders of 1 to 70 billion parameters, whole and as two or four cards share them.
Sizes gpu_sizes() {
  Sizes sizes;
  sizes.further = other_formats();
  sizes.matrices = {{4096, 4096}, {28672, 4096}, {4096, 14336}, {6144, 4096},  {8192, 8192},
                    {1024, 8192}, {14336, 8192}, {8192, 7168},  {2048, 2048},  {11264, 2048},
                    {5120, 5120}, {13824, 5120}, {18944, 3584}, {3584, 18944}, {128256, 4096}};
  sizes.rows = {1, 4096, 16, 512, 64, 2048, 256, 8192, 8, 128, 1024, 32, 384};
  sizes.heads = {{32, 8, 128}, {32, 32, 128}, {64, 8, 128}, {16, 16, 64}};
  sizes.prompts = {1024, 4096, 256, 8192, 512, 2048};
  sizes.contexts = {1024, 4096, 512, 16384, 2048};
  sizes.batches = {1, 32, 8, 128};
  sizes.hidden = 4096;
  sizes.ffn = 14336;
  sizes.tokens = {2048, 1, 256, 8192, 32, 1024, 8, 128, 512, 4096};
  sizes.streams_mib = {1024, 64, 256, 16, 4, 512};
  return sizes;
}

/// Layers that a processor computes in milliseconds. None of their shapes is one of the decoder
/// that the self-test runs.
Sizes cpu_sizes() {
  Sizes sizes;
  sizes.dtype = Dtype::fp32;
  sizes.matrices = {{640, 640}, {2560, 640}, {640, 1280}, {1280, 384}, {384, 2048}, {4096, 448},
                    {896, 768}, {768, 1792}, {6144, 384}, {448, 448},  {1920, 1024}};
  sizes.rows = {1, 256, 16, 64, 8, 512, 4, 128, 32};
  sizes.heads = {{12, 4, 64}, {6, 6, 64}, {16, 4, 64}, {10, 2, 64}, {4, 4, 64}};
  sizes.prompts = {256, 96, 448, 48, 160};
  sizes.contexts = {384, 96, 1280, 768, 192};
  sizes.batches = {1, 6, 12, 3};
  sizes.hidden = 640;
  sizes.ffn = 1920;
  sizes.tokens = {256, 1, 48, 512, 6, 96, 3, 160, 12, 24, 384};
  sizes.streams_mib = {128, 64, 256, 16, 4};
  return sizes;
}

using Works = std::vector<Planned>;

Works products(const Sizes& sizes) {
  const Dtype accumulate = Dtype::fp32;
  Works list;
  for (const std::int64_t m : sizes.rows) {
    for (const auto& [n, k] : sizes.matrices) {
      list.push_back({Product{sizes.dtype, accumulate, m, n, k}});
    }
  }
  return list;
}

Works formats(const Sizes& sizes) {
  Works list;
  for (const Product& product : sizes.further) list.push_back({product});
  return list;
}

Works prompts(const Sizes& sizes) {
  Works list;
  for (const std::int64_t tokens : sizes.prompts) {
    for (Attention work : sizes.heads) {
      work.q = work.kv = tokens;
      list.push_back({work});
    }
  }
  return list;
}

Works decodes(const Sizes& sizes) {
  Works list;
  for (const std::int64_t context : sizes.contexts) {
    for (const std::int64_t batch : sizes.batches) {
      for (Attention work : sizes.heads) {
        work.batch = batch;
        work.kv = context;
        list.push_back({work});
      }
    }
  }
  return list;
}

/// A step finds what the kernel before left in the cache: warm.
Works passes(const Sizes& sizes) {
  Works list;
  for (const std::int64_t tokens : sizes.tokens) {
    list.push_back({Pass{Pass::Kind::rms_norm, tokens, sizes.hidden}, Cache::warm});
    list.push_back({Pass{Pass::Kind::rope, tokens, sizes.hidden}, Cache::warm});
    list.push_back({Pass{Pass::Kind::silu_mul, tokens, sizes.ffn}, Cache::warm});
  }
  return list;
}

Works streams(const Sizes& sizes) {
  Works list;
  for (const double mib : sizes.streams_mib) {
    list.push_back({Stream{Stream::Kind::copy, mib * unit::MiB}});
    list.push_back({Stream{Stream::Kind::triad, mib * unit::MiB}});
  }
  return list;
}

Works overheads(const DeviceFacts& device) {
  Works list = {{Launch{false, 1}, Cache::warm}, {Launch{false, 20}, Cache::warm}};
  if (device.kind != "cuda") return list;
  list.push_back({Launch{true, 20}, Cache::warm});
  list.push_back({Launch{true, 200}, Cache::warm});
  for (const double kib : {64.0, 65536.0, 1024.0, 262144.0, 16384.0}) {
    for (const auto kind : {Transfer::Kind::host_to_device, Transfer::Kind::device_to_host,
                            Transfer::Kind::peer, Transfer::Kind::staged}) {
      list.push_back({Transfer{kind, kib * unit::KiB}});
    }
    for (const int ranks : {2, 4, 8}) list.push_back({AllReduce{ranks, kib * unit::KiB}});
  }
  return list;
}

/// Device memory that the operands of one copy take, roughly.
struct Needed {
  double operator()(const Stream& work) const { return 3 * work.bytes.base(); }
  double operator()(const Product& work) const {
    const double width = bits(work.dtype) / 8.0;
    return width * static_cast<double>(work.n * work.k + work.m * work.k) +
           4.0 * static_cast<double>(work.m * work.n);
  }
  double operator()(const Attention& work) const {
    return 8.0 * static_cast<double>(work.batch * work.head_dim *
                                     (work.kv * work.kv_heads + work.q * work.heads));
  }
  double operator()(const Pass& work) const {
    return 16.0 * static_cast<double>(work.tokens * work.width);
  }
  double operator()(const Launch&) const { return 0; }
  double operator()(const Transfer& work) const { return 2 * work.bytes.base(); }
  double operator()(const AllReduce& work) const { return 3 * work.payload.base(); }
};

/// One of each list in turn until all are used up.
Works in_turn(std::vector<Works> lists) {
  Works all;
  std::size_t longest = 0;
  for (const Works& list : lists) longest = std::max(longest, list.size());
  for (std::size_t i = 0; i < longest; ++i) {
    for (const Works& list : lists) {
      if (i < list.size()) all.push_back(list[i]);
    }
  }
  return all;
}

}  // namespace

std::vector<Planned> calibration_plan(const DeviceFacts& device) {
  const Sizes sizes = device.kind == "cpu" ? cpu_sizes() : gpu_sizes();
  Works plan = in_turn({products(sizes), streams(sizes), prompts(sizes), decodes(sizes),
                        passes(sizes), overheads(device), formats(sizes)});
  std::erase_if(plan, [&](const Planned& planned) {
    return std::visit(Needed{}, planned.work) > 0.4 * device.memory.base();
  });
  return plan;
}

Protocol protocol_for(const DeviceFacts& device, Seconds all) {
  Protocol protocol;
  const bool cpu = device.kind == "cpu";
  protocol.batch = (cpu ? 3.0 : 1.0) * unit::ms;
  protocol.spread = cpu ? 0.01 : 0.005;
  protocol.most_batches = cpu ? 30 : 60;
  protocol.each = (cpu ? 150 : 200) * unit::ms;
  protocol.all = all;
  return protocol;
}

}  // namespace gpucap::measure

#pragma once

#include "gpucap/plan/serving_plan.hpp"
#include "gpucap/record/sink.hpp"
#include "gpucap/workload/request.hpp"

#include <memory>
#include <utility>
#include <vector>

/// A small made-up world in which every number can be worked out by hand.
namespace toy {

using namespace gpucap;

/// 2 layers of 64 wide, 4 heads, 2 KV heads of 16; 1,000 words.
inline models::Transformer model() {
  models::Transformer m;
  m.id = "toy";
  m.architecture = "LlamaForCausalLM";
  m.layers = 2;
  m.hidden = 64;
  m.ffn = 128;
  m.heads = 4;
  m.kv_heads = 2;
  m.head_dim = 16;
  m.vocab = 1000;
  m.max_positions = 4096;
  return m;
}

/// 1 GFLOP/s and 1 GB/s: times come out in micro- to milliseconds.
inline hardware::Gpu gpu() {
  hardware::Gpu g;
  g.id = "toy-card";
  g.architecture = "Toy";
  g.form_factor = "pcie";
  g.sm_count = 4;
  g.dense_peak = {{Dtype::bf16, 1e9 * unit::flop / unit::s}};
  g.memory_total = g.memory_visible = 1 * unit::GiB;
  g.memory_bandwidth = 1 * unit::GB_per_s;
  g.tdp = 100 * unit::W;
  return g;
}

/// No start cost, full peak and bandwidth, no element-wise kernels; half of the shorter of
/// arithmetic and traffic shows.
inline perf::Calibration calibration() {
  perf::Calibration c;
  c.gemm = {1, 1, 0.5, 0.5, Seconds{}, {}};
  c.prefill.ec = c.prefill.eb = 1;
  c.decode.eb = 1;
  return c;
}

inline plan::SchedulerRules rules() {
  plan::SchedulerRules r;
  r.block_tokens = 16;
  r.max_num_seqs = 8;
  r.max_num_batched_tokens = 64;
  r.max_model_len = 4096;
  r.kv_blocks = 64;
  return r;
}

inline plan::ServingPlan serving_plan(const plan::SchedulerRules& scheduler_rules = rules(),
                                      int replicas = 1) {
  plan::ServingPlan p;
  p.question.model = model();
  p.question.node.gpu = gpu();
  p.question.calibration = calibration();
  p.rules = scheduler_rules;
  p.replicas = replicas;
  p.feasible = true;
  return p;
}

/// A stream of given requests.
class Listed : public workload::RequestStream {
 public:
  explicit Listed(std::vector<workload::Request> requests, std::int64_t block_tokens = 0)
      : requests_(std::move(requests)), block_tokens_(block_tokens) {}
  std::optional<workload::Request> next() override {
    if (at_ == requests_.size()) return std::nullopt;
    return requests_[at_++];
  }
  std::int64_t block_tokens() const override { return block_tokens_; }

 private:
  std::vector<workload::Request> requests_;
  std::int64_t block_tokens_;
  std::size_t at_ = 0;
};

inline workload::Request request(std::int64_t id, SimTime arrival, std::int64_t prompt,
                                 std::int64_t output) {
  workload::Request r;
  r.id = id;
  r.arrival = arrival;
  r.prompt_tokens = prompt;
  r.output_tokens = output;
  return r;
}

inline workload::Load open_loop(std::vector<workload::Request> requests,
                                std::int64_t block_tokens = 0) {
  return {std::make_unique<Listed>(std::move(requests), block_tokens), std::nullopt};
}

/// Keeps everything it is told.
struct Rows : record::Sink {
  std::vector<record::RequestRow> rows;
  std::vector<std::pair<Ticks, std::int64_t>> gaps;
  std::int64_t arrivals = 0, refusals = 0;
  void arrived(std::int64_t, SimTime, std::int64_t) override { ++arrivals; }
  void finished(const record::RequestRow& row) override { rows.push_back(row); }
  void refused(std::int64_t, SimTime) override { ++refusals; }
  void token_gaps(const record::TokenGaps& run) override {
    for (std::int64_t i = 0; i < run.steps; ++i) {
      gaps.emplace_back(run.first + run.growth * i, run.count);
    }
  }
};

}  // namespace toy

#include "training_tables.hpp"

#include <algorithm>
#include <map>

#include "training_shapes.hpp"
#include <fmt/format.h>

namespace gpucap::calibrate {
namespace {

using training::Method;
using training::Recompute;
using training::Weights;

/// A row under way: what all tables have in common.
struct Draft {
  SampleTable* table;
  std::size_t row;
  TrainingNodes* nodes;
  TrainingSamples* out;

  [[nodiscard]] std::string_view text(std::string_view column) const {
    return table->text(row, column);
  }
  [[nodiscard]] std::int64_t count(std::string_view column) const {
    return table->count(row, column);
  }
  [[nodiscard]] double number(std::string_view column) const { return table->number(row, column); }
  [[nodiscard]] bool has(std::string_view column, std::string_view part) const {
    return text(column).find(part) != std::string_view::npos;
  }

  /// Model and cards, data-parallel; false (and noted) where either is unknown.
  bool begin(TrainingSample& sample, std::string_view host) const {
    const auto shape = training_shape(text("model"));
    const auto cards = static_cast<int>(count("gpu_count"));
    const std::string what = fmt::format("{} on {} x {}", text("model"), cards, text("gpu"));
    if (!shape || !nodes->place(sample.question, text("gpu"), cards, host)) {
      out->skipped.push_back(what + ": no such model or card here");
      return false;
    }
    sample.model = shape->id;
    sample.gpu = sample.question.node.gpu.id;
    sample.question.network = *shape;
    sample.question.layout.data = cards;
    if (text("seq_len") != "") sample.question.settings.seq_len = count("seq_len");
    if (text("micro_batch") != "") sample.question.settings.micro_batch = count("micro_batch");
    return true;
  }

  /// Takes the sample in with its tokens or sequences per second.
  void end(TrainingSample& sample, double per_second, bool tokens) const {
    const auto& settings = sample.question.settings;
    const auto samples = static_cast<double>(settings.micro_batch * settings.grad_accum *
                                             sample.question.layout.data);
    const double work = tokens ? samples * static_cast<double>(settings.seq_len) : samples;
    sample.step = work / per_second * unit::s;
    sample.label =
        fmt::format("{} x{} {} {}x{}x{}", sample.gpu, sample.question.node.count, sample.model,
                    settings.grad_accum, settings.micro_batch, settings.seq_len);
    out->samples.push_back(sample);
  }
};

template <typename Add>
void for_rows(SampleTable& table, TrainingNodes& nodes, TrainingSamples& out, Add add) {
  for (std::size_t row = 0; row < table.rows(); ++row) add(Draft{&table, row, &nodes, &out});
}

/// A host with the machines' network where a job is larger than one machine.
std::string_view host_of(const Draft& draft) {
  const bool hopper = draft.has("gpu", "H100");
  if (draft.text("nodes") != "" && draft.count("nodes") > 1) {
    return hopper ? "two-nodes-400g" : "two-nodes-200g";
  }
  return hopper ? "hgx-h100" : "hgx-a100";
}

/// Rows that only the table of a README states, rounded and without their flags.
bool rounded(const Draft& draft) {
  return draft.text("step_time_ms") == "";
}

std::string llmq_part(const Draft& draft) {
  if (rounded(draft)) return "rounded table";
  const std::string_view recompute = draft.text("recompute");
  const bool expressible = recompute == "no" || recompute == "--recompute-block" ||
                           recompute == "--recompute-swiglu" || recompute == "--recompute-norm";
  if (!expressible) return "partial recompute";
  if (draft.has("dtype", "fp8")) return "fp8";
  if (draft.count("gpu_count") > 1) return fmt::format("{} cards", draft.text("gpu_count"));
  return "fit";
}

void add_llmq_row(const Draft& draft) {
  TrainingSample sample;
  const bool trainer = draft.has("framework", "LLaMA-Factory");
  const bool pcie4 = draft.has("gpu", "4090");
  const std::string_view host = draft.has("gpu", "H100") ? "hgx-h100" : pcie4 ? "pcie4-no-p2p" : "";
  if (!draft.begin(sample, host)) return;
  auto& settings = sample.question.settings;
  settings.weights = Weights::pure;
  settings.fused_optimizer = false;
  const auto cards = static_cast<std::int64_t>(sample.question.layout.data);
  sample.software = trainer ? "huggingface-deepspeed" : "tuned";
  if (trainer) {
    // Neither micro-batch nor recomputation is stated: what fits into 24 GB.
    const bool small = sample.model == "Qwen2.5-0.5B";
    settings.micro_batch = small ? 16 : 8;
    settings.recompute = small ? Recompute::none : Recompute::full;
    settings.weights = Weights::mixed;
    sample.part = "settings not stated";
  } else {
    sample.part = llmq_part(draft);
    if (draft.has("dtype", "fp8")) settings.arithmetic = Dtype::fp8;
    if (draft.has("recompute", "block")) settings.recompute = Recompute::full;
  }
  settings.grad_accum = std::max<std::int64_t>(1, 512 / (settings.micro_batch * cards));
  if (draft.text("grad_accum") != "") settings.grad_accum = draft.count("grad_accum");
  // Optimiser states are sharded, gradients scattered and weights gathered once a step.
  if (cards > 1) sample.question.layout.zero = 1;
  draft.end(sample, draft.number("throughput_tokens_per_s"), true);
}

std::string llm_foundry_part(const Draft& draft) {
  if (draft.has("dtype", "fp8")) return "fp8";
  if (draft.count("gpu_count") > 8) return "several machines";
  if (draft.has("gpu", "40GB")) return "A100 40 GB";
  return draft.text("recompute") == "True" ? "recompute" : "fit";
}

void add_llm_foundry_row(const Draft& draft) {
  TrainingSample sample;
  if (!draft.begin(sample, host_of(draft))) return;
  auto& settings = sample.question.settings;
  std::get<models::Transformer>(sample.question.network).max_positions = settings.seq_len;
  settings.grad_accum = draft.count("grad_accum");
  settings.gradients = draft.has("method", "PURE") ? Dtype::bf16 : Dtype::fp32;
  if (draft.text("recompute") == "True") settings.recompute = Recompute::full;
  if (draft.has("dtype", "fp8")) settings.arithmetic = Dtype::fp8;
  sample.question.layout.zero = draft.has("method", "SHARD_GRAD_OP") ? 2 : 3;
  sample.software = "framework";
  sample.part = llm_foundry_part(draft);
  draft.end(sample, draft.number("throughput_tokens_per_s"), true);
}

void add_qwen_row(const Draft& draft) {
  TrainingSample sample;
  if (!draft.begin(sample, host_of(draft))) return;
  auto& settings = sample.question.settings;
  const bool full = draft.has("method", "Full");
  settings.method = full                            ? Method::full
                    : draft.has("method", "Q-LoRA") ? Method::qlora
                                                    : Method::lora;
  settings.adapters.rank = 64;
  settings.adapters.embeddings = draft.has("method", "emb");
  settings.grad_accum = draft.count("grad_accum");
  settings.recompute = Recompute::full;
  if (full || draft.has("method", "Zero3")) sample.question.layout.zero = 3;
  sample.software = "huggingface-deepspeed";
  sample.part = draft.count("gpu_count") > 1 ? "several cards" : "fit";
  draft.end(sample, draft.number("throughput_tokens_per_s"), true);
}

/// The newest log of each card and precision; the others are tests of another container.
std::map<std::string, std::string> newest_logs(const SampleTable& table) {
  std::map<std::string, std::string> newest;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    auto& date = newest[fmt::format("{}/{}", table.text(row, "gpu"), table.text(row, "dtype"))];
    date = std::max(date, std::string(table.text(row, "log_date")));
  }
  return newest;
}

std::string bert_part(const Draft& draft, const std::string& newest) {
  if (draft.text("container_gen") != "v1") return "older container";
  if (draft.text("log_date") != newest) return "another log";
  return draft.has("dtype", "FP16") ? "fit" : "tf32";
}

}  // namespace

void add_llmq(SampleTable& table, TrainingNodes& nodes, TrainingSamples& out) {
  for_rows(table, nodes, out, add_llmq_row);
}

void add_llm_foundry(SampleTable& table, TrainingNodes& nodes, TrainingSamples& out) {
  for_rows(table, nodes, out, add_llm_foundry_row);
}

void add_qwen(SampleTable& table, TrainingNodes& nodes, TrainingSamples& out) {
  for_rows(table, nodes, out, add_qwen_row);
}

void add_bert(SampleTable& table, TrainingNodes& nodes, TrainingSamples& out) {
  const auto newest = newest_logs(table);
  for_rows(table, nodes, out, [&](const Draft& draft) {
    TrainingSample sample;
    if (!draft.has("model", "bert_large") || draft.text("gpu_count") != "1") return;
    if (!draft.begin(sample, "")) return;
    auto& settings = sample.question.settings;
    const bool narrow = draft.has("dtype", "FP16");
    settings.arithmetic = narrow ? Dtype::fp16 : Dtype::tf32;
    settings.gradients = Dtype::fp32;
    settings.weights = narrow ? Weights::amp : Weights::full;
    settings.attention = training::AttentionKernel::unfused;
    sample.software = "dl-examples";
    sample.part =
        bert_part(draft, newest.at(fmt::format("{}/{}", draft.text("gpu"), draft.text("dtype"))));
    draft.end(sample, draft.number("throughput"), false);
  });
}

}  // namespace gpucap::calibrate

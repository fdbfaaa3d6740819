#include "states.hpp"

#include <algorithm>
#include <vector>

namespace gpucap::training {
namespace {

constexpr double group_of_8bit = 256;  // weights that share an fp32 constant (bitsandbytes)
constexpr double group_of_nf4 = 64;
constexpr double scales_per_group = 256;  // of double quantisation

double bytes_of_moment(const Settings& settings) {
  const bool small = settings.optimizer == Optimizer::adamw_8bit ||
                     settings.optimizer == Optimizer::adamw_8bit_paged;
  if (small) return 1 + 4 / group_of_8bit;
  return settings.weights == Weights::pure ? 2 : 4;
}

/// Parameters that are trained alike.
struct Trained {
  double count = 0;
  double kept = 1;  ///< share of them that one rank keeps where ZeRO cuts them
  ParameterBytes bytes;
};

std::vector<Trained> trained_on(const Question& question, const RankParameters& count) {
  const auto& settings = question.settings;
  const auto kept = [&](double all, double experts) {
    return kept_share(all, experts, question.layout);
  };
  if (settings.method == Method::full) {
    return {{count.base(), kept(count.base(), count.expert_matrices),
             bytes_of_full_training(settings)}};
  }
  return {{count.adapters, kept(count.adapters, count.expert_adapters),
           bytes_of_adapter(settings, question.software.memory)},
          {count.copied_tables, kept(count.copied_tables, 0), bytes_of_copied_table(settings)}};
}

// bitsandbytes updates tensor by tensor in place.
bool updates_in_place(const Settings& settings) {
  return settings.optimizer == Optimizer::adamw_8bit ||
         settings.optimizer == Optimizer::adamw_8bit_paged;
}

Bytes update_temporaries(const Question& question, const RankParameters& count,
                         const Trained& trained) {
  const auto& settings = question.settings;
  const auto& memory = question.software.memory;
  if (settings.offload != Offload::none || updates_in_place(settings)) return {};
  const auto& layout = question.layout;
  double at_once = trained.count * (layout.zero >= 1 ? trained.kept : 1);
  if (settings.fused_optimizer) at_once = std::min(at_once, count.largest_tensor);
  if (layout.zero == 3 && memory.optimizer_group > 0) {
    at_once = std::min(at_once, memory.optimizer_group);
  }
  const double each = memory.optimizer_temporary * (trained.bytes.wide ? 1.0 : 0.5);
  return at_once * each * unit::byte;
}

// An update fused into the backward pass frees each gradient before the next one is made.
double gradients_alive(const Settings& settings, const RankParameters& count, double trained) {
  return settings.fused_optimizer ? std::min(trained, count.largest_tensor) : trained;
}

void add_trained(States& states, const Question& question, const RankParameters& count,
                 const Trained& trained) {
  const int zero = question.layout.zero;
  const auto share = [&](double number, double bytes, int from_stage) {
    return number * bytes * (zero >= from_stage ? trained.kept : 1) * unit::byte;
  };
  const double alive = gradients_alive(question.settings, count, trained.count);
  states.weights += share(trained.count, trained.bytes.weight, 3);
  states.gradients += share(alive, trained.bytes.gradient, 2);
  const bool paged = question.settings.optimizer == Optimizer::adamw_8bit_paged;
  const auto kept = share(trained.count, trained.bytes.moments, 1);
  (paged ? states.host : states.optimizer) += kept;
  states.optimizer += share(trained.count, trained.bytes.master, 1);
  states.update += update_temporaries(question, count, trained);
}

void offload(States& states, const Question& question) {
  const auto kind = question.settings.offload;
  const auto move = [&](Bytes& from) {
    states.host += from;
    from = Bytes{};
  };
  if (kind == Offload::none) return;
  move(states.optimizer);
  // Sharded gradients leave bucket by bucket; whole ones add up on the card first.
  if (question.layout.zero >= 2 || kind == Offload::params) move(states.gradients);
  if (kind != Offload::params) return;
  move(states.weights);
  move(states.frozen);
}

}  // namespace

double moment_bytes(const Settings& settings) {
  if (settings.optimizer == Optimizer::sgd) return 0;
  return (settings.optimizer == Optimizer::sgd_momentum ? 1 : 2) * bytes_of_moment(settings);
}

ParameterBytes bytes_of_full_training(const Settings& settings) {
  ParameterBytes bytes;
  const bool narrow = settings.weights == Weights::mixed || settings.weights == Weights::pure;
  bytes.weight = narrow ? 2 : 4;
  bytes.gradient = bytes.weight;
  if (settings.weights == Weights::mixed) {
    bytes.gradient = bits(settings.gradients) / 8.0;
    bytes.master = 4;
  }
  bytes.moments = moment_bytes(settings);
  bytes.wide = settings.weights != Weights::pure;
  return bytes;
}

ParameterBytes bytes_of_adapter(const Settings& settings, const Software::Memory& memory) {
  // 16 B are 4 + 4 + 8 and 8 B are 2 + 2 + 4: states are half of it.
  ParameterBytes bytes;
  bytes.weight = bytes.gradient = memory.adapter_bytes / 4;
  const bool adamw = settings.optimizer == Optimizer::adamw;
  bytes.moments = adamw ? memory.adapter_bytes / 2 : moment_bytes(settings);
  bytes.wide = memory.adapter_bytes >= 16;
  return bytes;
}

ParameterBytes bytes_of_copied_table(const Settings& settings) {
  auto narrow = settings;
  narrow.weights = Weights::pure;
  return bytes_of_full_training(narrow);
}

double frozen_matrix_bytes(const Settings& settings) {
  if (settings.method != Method::qlora) return settings.weights == Weights::full ? 4 : 2;
  const double scale = settings.base.double_quantisation ? 1 + 4 / scales_per_group : 4;
  return 0.5 + scale / group_of_nf4;
}

Bytes base_bytes(const Settings& settings, const RankParameters& count) {
  const double other = settings.weights == Weights::full ? 4 : 2;
  return (count.matrices * frozen_matrix_bytes(settings) + (count.tables + count.other) * other) *
         unit::byte;
}

States states_on_rank(const Question& question, const RankParameters& count) {
  States states;
  const auto& settings = question.settings;
  const bool sharded = question.layout.zero == 3 && shards(question.layout) > 1;
  for (const auto& trained : trained_on(question, count)) {
    add_trained(states, question, count, trained);
  }
  if (settings.method != Method::full) {
    const Bytes base = base_bytes(settings, count);
    const Bytes experts = count.expert_matrices * frozen_matrix_bytes(settings) * unit::byte;
    states.frozen =
        sharded ? base * kept_share(base.base(), experts.base(), question.layout) : base;
  }
  const bool mixed = question.software.memory.mixed_shards && sharded;
  if (mixed && settings.method == Method::lora) states.gradients += states.frozen;
  offload(states, question);
  return states;
}

Bytes checkpoint_bytes(const Question& question, const models::Transformer& model) {
  const auto count = all_parameters(model, question.settings.adapters);
  double bytes = 0;
  for (const auto& trained : trained_on(question, count)) {
    bytes += trained.count * (trained.bytes.weight + trained.bytes.states());
  }
  return bytes * unit::byte;
}

}  // namespace gpucap::training

#pragma once

#include "gpucap/models/transformer.hpp"
#include "gpucap/perf/kernel.hpp"
#include "gpucap/training/exchange.hpp"
#include "gpucap/training/question.hpp"

#include "layer_pass.hpp"
#include "rank_weights.hpp"

namespace gpucap::training {

/// What a stage exchanges inside its layers for one micro-batch, nothing of it hidden but context
/// parallelism's ring, which runs beside attention.
/// Tensor parallel: two exchanges of the hidden state per layer and pass, one for the embedding and
/// one for the head. Context parallel: keys and values once round forward, twice backward. Experts:
/// two all-to-alls of the routed copies per layer and pass. Pipeline: the hidden state to the next
/// stage and its gradient back, for each chunk.
perf::Work layer_exchange(Exchange& exchange, const Question& question,
                          const models::Transformer& model, const models::Stage& stage,
                          const StagePass& pass);

/// What data-parallel ranks (and those of context parallelism, which hold the same weights)
/// exchange.
DataTraffic weight_exchange(Exchange& exchange, const Question& question,
                            const models::Stage& stage, const RankWeights& weights);

}  // namespace gpucap::training

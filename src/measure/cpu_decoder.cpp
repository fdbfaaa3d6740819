#include "gpucap/measure/decoder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cpu/kernels.hpp"
#include "cpu/reference.hpp"
#include "cpu/task.hpp"

namespace gpucap::measure {
namespace {

using Numbers = std::vector<float>;

/// Random weights that keep the scale of what goes through them.
Numbers weights_of(std::int64_t outputs, std::int64_t inputs, std::uint64_t seed) {
  Numbers numbers = cpu::random_numbers(outputs * inputs, seed, "weights");
  const float scale = 1 / std::sqrt(static_cast<float>(inputs));
  for (float& number : numbers) number *= scale;
  return numbers;
}

struct Layer {
  Numbers query_key_value, output, gate_up, down;
};

/// What one pass works in, for so many rows.
struct Buffers {
  Buffers(const DecoderShape& shape, std::int64_t rows) {
    const auto room = [&](std::int64_t width) {
      return Numbers(static_cast<std::size_t>(cpu::padded_rows(rows) * width));
    };
    hidden = room(shape.hidden);
    residual = room(shape.hidden);
    normed = room(shape.hidden);
    projected = room((shape.heads + 2 * shape.kv_heads) * shape.head_dim);
    queries = room(shape.heads * shape.head_dim);
    keys = room(shape.kv_heads * shape.head_dim);
    values = room(shape.kv_heads * shape.head_dim);
    attended = room(shape.heads * shape.head_dim);
    gate_up = room(2 * shape.ffn);
    activated = room(shape.ffn);
  }
  Numbers hidden, residual, normed, projected, queries, keys, values, attended, gate_up, activated;
};

}  // namespace

class Decoder::Network {
 public:
  Network(const DecoderShape& of, int team, std::uint64_t seed)
      : shape(of), threads(team), gain_(static_cast<std::size_t>(of.hidden), 1.f) {
    const std::int64_t wide = of.heads * of.head_dim, narrow = of.kv_heads * of.head_dim;
    for (std::int64_t i = 0; i < of.layers; ++i) {
      const std::uint64_t own = seed + 10 * static_cast<std::uint64_t>(i);
      layers_.push_back(
          {weights_of(wide + 2 * narrow, of.hidden, own), weights_of(of.hidden, wide, own + 1),
           weights_of(2 * of.ffn, of.hidden, own + 2), weights_of(of.hidden, of.ffn, own + 3)});
    }
    embedding_ = cpu::random_numbers(of.vocab * of.hidden, seed, "embedding");
    head_ = weights_of(of.vocab, of.hidden, seed + 7);
  }

  const DecoderShape shape;
  const int threads;

  /// Caches for `sequences` of up to `tokens` in every layer.
  [[nodiscard]] std::vector<cpu::PagedCache> caches(std::int64_t sequences,
                                                    std::int64_t tokens) const {
    return std::vector<cpu::PagedCache>(static_cast<std::size_t>(shape.layers),
                                        cpu::make_cache(heads(), sequences, tokens));
  }

  /// A prompt whose tokens are 0, 1, 2, ... of the vocabulary.
  void prefill(Buffers& to, std::vector<cpu::PagedCache>& caches, std::int64_t tokens,
               Numbers& logits) const {
    std::vector<std::int64_t> positions(static_cast<std::size_t>(tokens));
    std::iota(positions.begin(), positions.end(), 0);
    embed(to, positions);
    run(to, caches, positions, [&](cpu::PagedCache& cache) {
      const std::int64_t narrow = shape.kv_heads * shape.head_dim;
      for (std::int64_t token = 0; token < tokens; ++token) {
        cpu::write_token(heads(), cache, 0, token, to.keys.data() + token * narrow,
                         to.values.data() + token * narrow);
      }
      cpu::prefill_attention(heads(), to.queries.data(), to.keys.data(), to.values.data(),
                             to.attended.data(), tokens, threads);
    });
    std::copy_n(to.normed.data() + (tokens - 1) * shape.hidden, shape.hidden, to.normed.data());
    head(to, 1, logits);
  }

  /// The token at the end of each sequence; all sequences are equally long.
  void decode(Buffers& to, std::vector<cpu::PagedCache>& caches, std::int64_t batch,
              std::int64_t context, Numbers& logits) const {
    const std::vector<std::int64_t> positions(static_cast<std::size_t>(batch), context - 1);
    embed(to, positions);
    run(to, caches, positions, [&](cpu::PagedCache& cache) {
      const std::int64_t narrow = shape.kv_heads * shape.head_dim;
      for (std::int64_t sequence = 0; sequence < batch; ++sequence) {
        cpu::write_token(heads(), cache, sequence, context - 1, to.keys.data() + sequence * narrow,
                         to.values.data() + sequence * narrow);
      }
      cpu::decode_attention(heads(), to.queries.data(), cache, batch, context, to.attended.data(),
                            threads);
    });
    head(to, batch, logits);
  }

 private:
  [[nodiscard]] cpu::Heads heads() const { return {shape.heads, shape.kv_heads, shape.head_dim}; }

  void embed(Buffers& to, const std::vector<std::int64_t>& tokens) const {
    std::fill(to.residual.begin(), to.residual.end(), 0.f);
    for (std::size_t row = 0; row < tokens.size(); ++row) {
      const std::int64_t token = tokens[row] % shape.vocab;
      std::copy_n(embedding_.data() + token * shape.hidden, shape.hidden,
                  to.hidden.data() + static_cast<std::int64_t>(row) * shape.hidden);
    }
  }

  /// All layers and the last norm; `attend` reads queries, keys and values and writes `attended`.
  template <class Attend>
  void run(Buffers& to, std::vector<cpu::PagedCache>& caches,
           const std::vector<std::int64_t>& positions, const Attend& attend) const {
    const auto rows = static_cast<std::int64_t>(positions.size());
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      norm(to, rows);
      project(to, layers_[i], positions);
      attend(caches[i]);
      product(to.attended, layers_[i].output, to.hidden, rows, shape.hidden,
              shape.heads * shape.head_dim);
      norm(to, rows);
      product(to.normed, layers_[i].gate_up, to.gate_up, rows, 2 * shape.ffn, shape.hidden);
      cpu::silu_multiply(to.gate_up.data(), to.activated.data(), rows, shape.ffn, threads);
      product(to.activated, layers_[i].down, to.hidden, rows, shape.hidden, shape.ffn);
    }
    norm(to, rows);
  }

  void norm(Buffers& to, std::int64_t rows) const {
    cpu::rms_norm(to.hidden.data(), to.residual.data(), gain_.data(), to.normed.data(), rows,
                  shape.hidden, threads);
  }

  void product(const Numbers& in, const Numbers& weights, Numbers& out, std::int64_t rows,
               std::int64_t outputs, std::int64_t inputs) const {
    cpu::product(in.data(), weights.data(), out.data(), rows, outputs, inputs, threads);
  }

  /// Queries, keys and values of all rows, the first two turned by their position.
  void project(Buffers& to, const Layer& layer, const std::vector<std::int64_t>& positions) const {
    const auto rows = static_cast<std::int64_t>(positions.size());
    const std::int64_t wide = shape.heads * shape.head_dim,
                       narrow = shape.kv_heads * shape.head_dim;
    const std::int64_t all = wide + 2 * narrow;
    product(to.normed, layer.query_key_value, to.projected, rows, all, shape.hidden);
    cpu::rotate(to.projected.data(), positions.data(), rows, shape.heads + shape.kv_heads,
                shape.head_dim, all, threads);
    for (std::int64_t row = 0; row < rows; ++row) {
      const float* from = to.projected.data() + row * all;
      std::copy_n(from, wide, to.queries.data() + row * wide);
      std::copy_n(from + wide, narrow, to.keys.data() + row * narrow);
      std::copy_n(from + wide + narrow, narrow, to.values.data() + row * narrow);
    }
  }

  void head(Buffers& to, std::int64_t rows, Numbers& logits) const {
    logits.resize(static_cast<std::size_t>(cpu::padded_rows(rows) * shape.vocab));
    product(to.normed, head_, logits, rows, shape.vocab, shape.hidden);
  }

  Numbers gain_, embedding_, head_;
  std::vector<Layer> layers_;
};

namespace {

/// A pass that is run again and again; always "cold": the weights are more than the cache holds.
std::unique_ptr<Task> pass_task(std::function<void(Numbers& logits)> pass) {
  const auto logits = std::make_shared<Numbers>();
  cpu::CpuTask::Work work;
  work.execute = [=](int) { pass(*logits); };
  work.deviation = [=] {
    pass(*logits);
    const bool numbers = std::all_of(logits->begin(), logits->end(),
                                     [](float logit) { return std::isfinite(logit); });
    return numbers ? 0.0 : std::numeric_limits<double>::infinity();
  };
  return std::make_unique<cpu::CpuTask>(std::move(work));
}

}  // namespace

Decoder::Decoder(const DecoderShape& shape, int threads, std::uint64_t seed)
    : network_(std::make_shared<Network>(shape, threads, seed)) {}

Decoder::~Decoder() = default;

std::unique_ptr<Task> Decoder::prefill(std::int64_t tokens) {
  const auto buffers = std::make_shared<Buffers>(network_->shape, tokens);
  const auto caches = std::make_shared<std::vector<cpu::PagedCache>>(network_->caches(1, tokens));
  return pass_task([=, network = network_](Numbers& logits) {
    network->prefill(*buffers, *caches, tokens, logits);
  });
}

std::unique_ptr<Task> Decoder::decode(std::int64_t batch, std::int64_t context) {
  const auto buffers = std::make_shared<Buffers>(network_->shape, batch);
  const auto caches =
      std::make_shared<std::vector<cpu::PagedCache>>(network_->caches(batch, context));
  return pass_task([=, network = network_](Numbers& logits) {
    network->decode(*buffers, *caches, batch, context, logits);
  });
}

double Decoder::prefill_against_decode(std::int64_t tokens) {
  Buffers buffers(network_->shape, tokens);
  auto caches = network_->caches(1, tokens);
  Numbers whole, stepwise;
  network_->prefill(buffers, caches, tokens, whole);
  network_->prefill(buffers, caches, tokens - 1, stepwise);
  network_->decode(buffers, caches, 1, tokens, stepwise);
  cpu::Deviation deviation;
  for (std::int64_t i = 0; i < network_->shape.vocab; ++i) {
    const auto place = static_cast<std::size_t>(i);
    deviation.add(static_cast<double>(stepwise[place]), static_cast<double>(whole[place]));
  }
  return deviation.relative();
}

}  // namespace gpucap::measure

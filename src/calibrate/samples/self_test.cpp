#include "gpucap/calibrate/self_test.hpp"

#include "gpucap/calibrate/samples_fit.hpp"
#include "gpucap/catalog/own_calibration.hpp"
#include "gpucap/core/version.hpp"
#include "gpucap/measure/decoder.hpp"
#include "gpucap/measure/plan.hpp"
#include "gpucap/perf/step_cost.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

namespace gpucap::calibrate {
namespace {

models::Transformer model_of(const measure::DecoderShape& shape) {
  models::Transformer model;
  model.id = "self-test";
  model.layers = shape.layers;
  model.hidden = shape.hidden;
  model.ffn = shape.ffn;
  model.heads = shape.heads;
  model.kv_heads = shape.kv_heads;
  model.head_dim = shape.head_dim;
  model.vocab = shape.vocab;
  model.max_positions = 1 << 20;
  model.dtype = Dtype::fp32;
  return model;
}

/// What the simulator's own step cost says of the decoder on this processor.
class Prediction {
 public:
  Prediction(const measure::DecoderShape& shape, hardware::Gpu card,
             const catalog::OwnCalibration& own)
      : model_(model_of(shape)), card_(std::move(card)) {
    catalog::replace_parts(calibration_, own);
    perf::StepCostInputs inputs;
    inputs.model = &model_;
    inputs.gpu = &card_;
    inputs.calibration = &calibration_;
    inputs.engine = &engine_;
    inputs.weights = *models::weight_format(model_, "auto");
    inputs.weights.head_bits = bits(Dtype::fp32);
    inputs.kv_dtype = Dtype::fp32;
    cost_ = std::make_unique<perf::StepCost>(inputs);
  }

  [[nodiscard]] Seconds operator()(const SelfTestPass& pass) const {
    const std::array<perf::Chunk, 1> prompt = {perf::Chunk{pass.tokens, pass.tokens}};
    perf::Batch batch;
    batch.sampled = pass.sequences;
    if (pass.phase == "prefill") {
      batch.chunks = prompt;
    } else {
      batch.decodes = pass.sequences;
      batch.sum_context = batch.sum_window = pass.sequences * pass.tokens;
      batch.max_context = batch.max_window = pass.tokens;
    }
    return as_seconds((*cost_)(batch).time) * unit::s;
  }

 private:
  models::Transformer model_;
  hardware::Gpu card_;
  perf::Calibration calibration_;
  perf::EngineProfile engine_;  ///< no host time: the decoder is a plain program
  std::unique_ptr<perf::StepCost> cost_;
};

std::vector<SelfTestPass> passes() {
  std::vector<SelfTestPass> list;
  for (const std::int64_t tokens : {32, 64, 128, 256, 512}) {
    list.push_back({"prefill", 1, tokens, {}, {}});
  }
  for (const std::int64_t context : {128, 512, 1024}) {
    for (const std::int64_t batch : {1, 2, 4, 8, 16}) {
      list.push_back({"decode", batch, context, {}, {}});
    }
  }
  return list;
}

Seconds measured(measure::Device& device, measure::Decoder& decoder, const SelfTestPass& pass) {
  const auto task = pass.phase == "prefill" ? decoder.prefill(pass.tokens)
                                            : decoder.decode(pass.sequences, pass.tokens);
  measure::Protocol protocol = measure::protocol_for(device.facts(), {});
  protocol.each = 500 * unit::ms;
  return measure_task(device, *task, measure::Cache::cold, protocol).time;
}

}  // namespace

double SelfTest::median_error() const {
  std::vector<double> errors;
  for (const SelfTestPass& pass : passes) errors.push_back(std::fabs(pass.error()));
  if (errors.empty()) return 0;
  std::sort(errors.begin(), errors.end());
  return errors[(errors.size() - 1) / 2];
}

double SelfTest::worst_error() const {
  double worst = 0;
  for (const SelfTestPass& pass : passes) {
    if (std::fabs(pass.error()) > std::fabs(worst)) worst = pass.error();
  }
  return worst;
}

SelfTest self_test(int threads, Seconds time_limit, const std::string& date,
                   const std::atomic<bool>& stop,
                   const std::function<void(const std::string&)>& tell) {
  const auto begin = std::chrono::steady_clock::now();
  SelfTest test;
  const auto device = measure::open_cpu(threads);
  const auto plan = measure::calibration_plan(device->facts());
  tell(fmt::format("measuring {} kernels on {} threads", plan.size(), threads));
  test.samples = measure_plan(*device, plan, measure::protocol_for(device->facts(), time_limit),
                              stop, [](std::size_t, std::size_t) {});
  test.samples.date = date;
  test.samples.version = version();
  const hardware::Gpu card = cpu_card(test.samples);
  const auto fitted =
      fit_samples(test.samples, "self-test", card, usual_parts(test.samples), 1, nullptr);
  test.calibration = calibration_json(calibration_of(fitted, test.samples));
  const auto own = catalog::read_own_calibration(
      catalog::JsonDocument("self-test", test.calibration),
      [&](const std::string& id) { return id == card.id ? &card : nullptr; });
  const measure::DecoderShape shape;
  const Prediction predict(shape, card, own);
  measure::Decoder decoder(shape, threads, 7);
  tell(fmt::format("running a decoder of {} layers", shape.layers));
  for (SelfTestPass pass : passes()) {
    if (stop) break;
    pass.predicted = predict(pass);
    pass.measured = measured(*device, decoder, pass);
    test.passes.push_back(pass);
  }
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begin;
  test.elapsed = since.count() * unit::s;
  return test;
}

}  // namespace gpucap::calibrate

#include "gpucap/calibrate/fit.hpp"

#include <algorithm>
#include <cmath>

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::calibrate;

namespace {

// 100 TFLOP/s, 1000 GB/s, 100 SMs.
const perf::Card card{100 * unit::TFLOP_per_s, 1000 * unit::GB_per_s, 100};
const ColdRule all_cold{Bytes{}, "operands", false};

perf::GemmFit truth() {
  perf::GemmFit fit;
  fit.ec = 0.8, fit.eb = 0.9;
  fit.exposed_arithmetic = 0.2, fit.exposed_traffic = 0.1;
  fit.tiles = {20, 100};
  fit.t0 = 5 * unit::us;
  return fit;
}

std::vector<GemmSample> products() {
  std::vector<GemmSample> samples;
  for (std::int64_t n = 256; n <= 8192; n *= 2) {
    for (std::int64_t k = 256; k <= 8192; k *= 2) {
      for (std::int64_t m = 1; m <= 8192; m *= 4) {
        GemmSample sample;
        sample.shape = {m, n, k};
        sample.measured.time = perf::gemm(truth(), card, sample.shape).time();
        sample.measured.key = {{n, k}, m};
        samples.push_back(sample);
      }
    }
  }
  return samples;
}

const FittedCoefficient& named(const FittedPart& part, const std::string& key) {
  const auto found = std::find_if(part.coefficients.begin(), part.coefficients.end(),
                                  [&](const auto& entry) { return entry.key == key; });
  REQUIRE(found != part.coefficients.end());
  return *found;
}

std::string code_of(const Form& form, const PartPlan& plan, const ColdRule& cold) {
  try {
    fit_form(form, card, plan, cold);
  } catch (const InputError& error) {
    return error.problems().front().code;
  }
  return "";
}

}  // namespace

TEST_CASE("products made from known coefficients give them back") {
  const FittedPart part = fit_form(gemm_form(card, products()), card, {}, all_cold);
  CHECK(named(part, "ec").value == Approx(0.8).epsilon(0.001));
  CHECK(named(part, "eb").value == Approx(0.9).epsilon(0.001));
  CHECK(named(part, "t0").value == Approx(5).epsilon(0.001));
  CHECK(named(part, "exposed_arithmetic").value == Approx(0.2).epsilon(0.01));
  CHECK(named(part, "exposed_traffic").value == Approx(0.1).epsilon(0.01));
  CHECK(named(part, "edge_loss").value == Approx(20).epsilon(0.01));
  CHECK(named(part, "fill_k").value == Approx(100).epsilon(0.01));
  CHECK(part.held_out.median < 1e-3);
  // 36 shapes, 7 of them held out (5th, 10th, ... 35th), 7 sizes each.
  CHECK(part.held_out.points == 49);
  CHECK(part.points == 29 * 7);
}

TEST_CASE("five samples ten times too slow do not move a fit") {
  std::vector<GemmSample> samples = products();
  for (std::size_t i = 0; i < 5; ++i) {
    samples[3 + 11 * i].measured.time = samples[3 + 11 * i].measured.time * 10;
  }
  const FittedPart part = fit_form(gemm_form(card, samples), card, {}, all_cold);
  CHECK(named(part, "ec").value == Approx(0.8).epsilon(0.002));
  CHECK(named(part, "eb").value == Approx(0.9).epsilon(0.002));
}

TEST_CASE("a sample above peak is refused and counted and does not enter the split's errors") {
  std::vector<GemmSample> samples = products();
  // 2 x 4096 x 8192^2 FLOP at 100 TFLOP/s take 5.5 ms: 4 ms are impossible.
  samples.back().measured.time = 4 * unit::ms;
  const FittedPart part = fit_form(gemm_form(card, samples), card, {}, all_cold);
  CHECK(part.refused == Refusals{{"rate above peak + 2 %", 1}});
  CHECK(part.points + part.held_out.points == 36 * 7 - 1);
}

TEST_CASE("launches below the cache's size stay out of the fit but are reported") {
  std::vector<GemmSample> samples = products();
  const Bytes l2 = 20 * unit::MB;
  for (GemmSample& sample : samples) {
    // A fifth less from the L2 (error 1 / 0.8 - 1 = 25 %); exactly the same above it.
    if (perf::gemm(truth(), card, sample.shape).bytes < l2) {
      sample.measured.time = sample.measured.time * 0.8;
    }
  }
  PartPlan plan;
  plan.hold["t0"] = {"5 us", "known"};
  const FittedPart part = fit_form(gemm_form(card, samples), card, plan, {l2, "operands", false});
  CHECK(named(part, "ec").value == Approx(0.8).epsilon(0.005));
  CHECK(named(part, "eb").value == Approx(0.9).epsilon(0.005));
  CHECK(part.held_out.median < 1e-3);
  REQUIRE(part.also.size() == 1);
  CHECK(part.also[0].points == 49);
  CHECK(part.also[0].p95 == Approx(0.25).epsilon(0.02));
}

TEST_CASE("a held coefficient keeps its value, its unit and its reason") {
  PartPlan plan;
  plan.hold["t0"] = {"0.006 ms", "read off a stopwatch"};
  const FittedPart part = fit_form(gemm_form(card, products()), card, plan, all_cold);
  CHECK(named(part, "t0").value == Approx(6));
  CHECK_FALSE(named(part, "t0").fitted);
  CHECK(named(part, "t0").basis == "held: read off a stopwatch");
  // Six remain, so 15 pairs.
  CHECK(part.correlation.size() == 15);
}

TEST_CASE("a lower bound of the plan holds and is told") {
  PartPlan plan;
  plan.at_least["t0"] = {"8 us", "smallest launch"};
  const FittedPart part = fit_form(gemm_form(card, products()), card, plan, all_cold);
  CHECK(named(part, "t0").value == Approx(8));
  CHECK(named(part, "t0").basis == "at its lower bound: smallest launch");
}

TEST_CASE("bias is the mean log error and spread that of the groups' means") {
  // All held-out shapes measured e^0.1 or e^-0.1 slower in turn: group means -0.1 and +0.1, seven
  // of them: -, +, -, +, -, +, -. Mean -0.1 / 7 = -0.0143; sum of squares 7 x 0.01 - 7 x 0.0143^2
  // = 0.068571, over 6: root 0.10690.
  std::vector<GemmSample> samples = products();
  std::vector<SplitKey> keys;
  for (const GemmSample& sample : samples) keys.push_back(sample.measured.key);
  const Split halves = split(keys);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!halves.held_out[i]) continue;
    const bool slow = halves.group[i] / 5 % 2 == 0;
    samples[i].measured.time = samples[i].measured.time * std::exp(slow ? 0.1 : -0.1);
  }
  const FittedPart part = fit_form(gemm_form(card, samples), card, {}, all_cold);
  CHECK(part.held_out.bias == Approx(-0.1 / 7).epsilon(0.05));
  CHECK(part.held_out.spread == Approx(0.10690).epsilon(0.01));
}

TEST_CASE("noisy repeats weigh less") {
  // Half of the samples are 20 % slow and say that their repeats differ by a factor of e^2:
  // spread 1 against the usual 0.05 is a weight of 1/401.
  std::vector<GemmSample> samples = products();
  for (std::size_t i = 0; i < samples.size(); i += 2) {
    samples[i].measured.time = samples[i].measured.time * 1.2;
    samples[i].measured.log_spread = 1;
  }
  const FittedPart part = fit_form(gemm_form(card, samples), card, {}, all_cold);
  CHECK(named(part, "eb").value == Approx(0.9).epsilon(0.01));
}

TEST_CASE("a plan that names no coefficient of the form is an error") {
  PartPlan plan;
  plan.hold["t1"] = {"1 us", "a slip"};
  CHECK(code_of(gemm_form(card, products()), plan, all_cold) == "unknown-name");
}

TEST_CASE("a held value needs its unit") {
  PartPlan plan;
  plan.hold["t0"] = {"5", "a slip"};
  CHECK(code_of(gemm_form(card, products()), plan, all_cold) == "missing-unit");
}

TEST_CASE("a prior that nobody states is an error, with a calibration in force it is kept") {
  std::vector<AttentionSample> samples;
  perf::DecodeAttentionFit known;
  known.eb = 0.8, known.t0 = 10 * unit::us;
  known.per_sequence_head = 20 * unit::ns, known.per_64_kv = 15 * unit::ns;
  known.skew = 0.07, known.unsplit_share_of_sms = 0.75;
  for (std::int64_t context = 128; context <= 16384; context *= 2) {
    for (std::int64_t count = 1; count <= 128; count *= 2) {
      AttentionSample sample;
      sample.shape = {32, 8, 128, 128, 4096};
      sample.decodes = {count, count * context, context};
      const auto cost = perf::decode_attention(known, card, sample.shape, count);
      sample.measured.time = cost.fixed +
                             cost.per_sum_token * static_cast<double>(count * context) +
                             cost.per_max_token * static_cast<double>(context);
      sample.measured.key = {{32, 8, 128}, context};
      samples.push_back(sample);
    }
  }
  CHECK(code_of(decode_form(card, samples), {}, all_cold) == "undetermined");
  PartPlan plan;
  plan.hold["per_sequence_query_head"] = {"0 ns", "one head layout"};
  const FittedPart part = fit_form(decode_form(card, samples, &known), card, plan, all_cold);
  CHECK(named(part, "skew").value == Approx(0.07));
  CHECK(named(part, "eb").value == Approx(0.8));
  CHECK(named(part, "per_sequence_head").value == Approx(20));
  CHECK(named(part, "per_64_kv").value == Approx(15));
}

TEST_CASE("too few launches are an error, not a guess") {
  std::vector<GemmSample> samples = products();
  samples.resize(3);
  CHECK(code_of(gemm_form(card, samples), {}, all_cold) == "too-few-samples");
}

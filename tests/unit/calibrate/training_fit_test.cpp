#include "gpucap/calibrate/training_fit.hpp"

#include "gpucap/catalog/software.hpp"
#include "gpucap/training/step.hpp"

#include <cmath>
#include <filesystem>

#include "support/catch.hpp"
#include "support/toy_training.hpp"

using namespace gpucap;
using namespace gpucap::calibrate;

namespace {

TrainingClass two_constants() {
  TrainingClass one;
  one.software.id = "toy";
  one.constants = {{"products", "", 1, 0.1, 10,
                    [](training::Software::Time& time, double value) { time.products = value; }},
                   {"streams", "", 1, 0.1, 10,
                    [](training::Software::Time& time, double value) { time.streams = value; }}};
  return one;
}

/// Steps of the toy card at sequences of several lengths, "measured" with the given constants.
std::vector<TrainingSample> measured(double products, double streams) {
  std::vector<TrainingSample> samples;
  for (const std::int64_t hidden : {64, 128, 256, 512}) {
    TrainingSample sample;
    sample.software = "toy";
    sample.gpu = hidden < 200 ? "small" : "large";
    sample.model = "toy";
    sample.part = "fit";
    sample.question = toy::training_question();
    std::get<models::Transformer>(sample.question.network).hidden = hidden;
    training::Question truth = sample.question;
    truth.software.time.products = products;
    truth.software.time.streams = streams;
    sample.step = training::training_step(truth).time;
    samples.push_back(sample);
  }
  return samples;
}

}  // namespace

TEST_CASE("steps that a class made give back its constants") {
  const TrainingFit fit = fit_training(two_constants(), measured(1.3, 2.5));
  CHECK(fit.constants[0].value == Approx(1.3).epsilon(1e-4));
  CHECK(fit.constants[1].value == Approx(2.5).epsilon(1e-4));
  CHECK(fit.errors.front().worst < 1e-4);
}

TEST_CASE("a test row is judged and never fitted") {
  // One row of another program takes twice as long: ln(1/2) = -0.693.
  auto samples = measured(1.3, 2.5);
  samples.push_back(samples.back());
  samples.back().part = "another program";
  samples.back().step = 2 * samples.back().step;
  const TrainingFit fit = fit_training(two_constants(), samples);
  CHECK(fit.constants[0].value == Approx(1.3).epsilon(1e-4));
  CHECK(fit.ratios.back() == Approx(0.5).epsilon(1e-3));
}

TEST_CASE("shipped constants are those that the measured runs give") {
  const std::filesystem::path tables = GPUCAP_SOURCE_DIR "/../shared/data/measured/training";
  if (!std::filesystem::exists(tables)) {
    WARN("no tables of measured training in " << tables);
    return;
  }
  // Files keep three digits; a constant moves no more than by rounding.
  const auto samples = training_samples(tables, GPUCAP_SOURCE_DIR).samples;
  for (const TrainingClass& one : training_classes()) {
    const TrainingFit fit = fit_training(one, samples, LeaveOut::no);
    const auto shipped = catalog::load_software(GPUCAP_SOURCE_DIR, fit.software.id);
    REQUIRE(shipped);
    CAPTURE(fit.software.id);
    CHECK(shipped->time.products == Approx(fit.software.time.products).epsilon(0.01));
    CHECK(shipped->time.streams == Approx(fit.software.time.streams).epsilon(0.01));
    CHECK(shipped->time.attention == Approx(fit.software.time.attention).epsilon(0.01));
  }
}

#include "gpucap/calibrate/training_fit.hpp"

#include <utility>

namespace gpucap::calibrate {
namespace {

using Time = training::Software::Time;

TimeConstant plain(std::string key, double start, double low, double high, double Time::*member) {
  return {std::move(key), "",
          start,          low,
          high,           [member](Time& time, double value) { time.*member = value; }};
}

TimeConstant launch(std::string key, double start, Seconds Time::*member) {
  return {std::move(key), "us", start, 1, 1e5, [member](Time& time, double value) {
            time.*member = value * unit::us;
          }};
}

TimeConstant attention_on(const std::string& architecture) {
  return {"attention_on/" + architecture, "", 2, 0.3, 20, [architecture](Time& time, double value) {
            time.attention_on[architecture] = value;
          }};
}

TrainingClass named(std::string id, std::vector<TimeConstant> constants) {
  TrainingClass one;
  one.software.id = std::move(id);
  one.software.time.attention_backward_tokens = 300;  // flash_attention_fwd_bwd.csv
  one.constants = std::move(constants);
  return one;
}

}  // namespace

std::vector<TrainingClass> training_classes() {
  const TimeConstant products = plain("products", 1, 0.3, 5, &Time::products);
  const TimeConstant streams = plain("streams", 1.5, 0.2, 30, &Time::streams);
  TrainingClass framework =
      named("framework", {products, streams, plain("attention", 1, 0.3, 10, &Time::attention),
                          attention_on("Hopper"),
                          plain("exchange_overlap", 0.5, 0.05, 1, &Time::exchange_overlap)});
  framework.groups_are_models = true;
  TrainingClass deepspeed = named(
      "huggingface-deepspeed", {products, streams, plain("widening", 4, 0.5, 50, &Time::widening),
                                launch("launch_per_layer", 1700, &Time::launch_per_layer),
                                launch("launch_quantised", 700, &Time::launch_quantised),
                                launch("launch_sharded", 1700, &Time::launch_sharded)});
  deepspeed.groups_are_models = true;
  TrainingClass tuned = named("tuned", {products, streams});
  // Fitted with the 4-card rows besides: at the bound of 1, 0.62 without the RTX PRO 6000.
  tuned.software.time.exchange_overlap = 0.8;
  return {framework, tuned, deepspeed, named("dl-examples", {products, streams})};
}

}  // namespace gpucap::calibrate

#include "gpucap/training/conv_net.hpp"
#include "gpucap/training/exchange.hpp"
#include "gpucap/training/optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernel_sum.hpp"
#include <fmt/format.h>

namespace gpucap::training {
namespace {

using perf::Cause;
using perf::Work;

/// One pass over one image, `share` of what is not counted by pass.
Work pass_of(const ConvNetRates& rates, const Software::Convolutions& software,
             const ConvNetWork& all, const ConvNetPass& pass) {
  const double cycles = rates.number_bytes > 2 ? software.cycles_wide : software.cycles_narrow;
  const double share = pass.moved / (all.forward.moved + all.backward.moved);
  Work work =
      streamed(pass.moved * rates.number_bytes * software.traffic * unit::byte, rates.bandwidth);
  work += waiting(Cause::compute, pass.flops / rates.products);
  work += waiting(Cause::compute, conv_net_terms(rates, all).cycles * (cycles * share));
  work.flops = pass.flops;
  return work;
}

double launches_of_pass(const models::ConvNet& net) {
  double layers = 0;
  for (const auto& layer : net.layers) layers += static_cast<double>(layer.count);
  for (const auto& join : net.joins) layers += static_cast<double>(join.count);
  return layers;
}

/// The host launches kernels while the card computes; the slower of both decides, with a rounded
/// corner.
void add_host(Work& pass, Seconds launches) {
  const double card = pass.time().base(), host = launches.base();
  if (host <= 0) return;
  const double both = std::cbrt(card * card * card + host * host * host);
  pass += waiting(Cause::host, Seconds::from_base(both - card));
}

/// Passes of all micro-batches of a step.
struct Passes {
  Work forward, backward;
};

Passes passes_of_step(const Question& question, const models::ConvNet& net,
                      const ConvNetWork& work) {
  const Settings& settings = question.settings;
  const auto& software = *question.software.convolutions;
  const auto rates = conv_net_rates(question.node.gpu, question.calibration, settings.arithmetic);
  const auto images = static_cast<double>(settings.micro_batch);
  const Seconds launches = question.software.time.launch_per_layer * launches_of_pass(net);
  Passes passes{pass_of(rates, software, work, work.forward).times(images),
                pass_of(rates, software, work, work.backward).times(images)};
  for (Work* pass : {&passes.forward, &passes.backward}) {
    add_host(*pass, launches);
    *pass = pass->times(static_cast<double>(settings.grad_accum));
  }
  return passes;
}

double weight_bytes(Weights weights) {
  return weights == Weights::mixed || weights == Weights::pure ? 2 : 4;
}

/// Gradients leave while the backward pass of the last micro-batch goes on.
void add_exchange(StepTime& step, const Question& question, const models::ConvNet& net) {
  if (question.layout.data == 1) return;
  const auto parameters = static_cast<double>(models::parameters(net));
  SharedWeights weights;
  weights.trained = parameters;
  weights.gathered = parameters * weight_bytes(question.settings.weights) * unit::byte;
  weights.gradient_bytes = bits(question.settings.gradients) / 8.0;
  weights.messages = static_cast<double>(net.layers.size());
  Exchange exchange(question);
  const auto traffic =
      data_traffic(exchange, data_group(question.layout), question.layout.zero, weights);
  const auto accumulated = static_cast<double>(question.settings.grad_accum);
  const Seconds window = step.backward / accumulated;
  const double overlap = question.software.time.exchange_overlap;
  step.communication = exposed(traffic.per_micro_batch.time(), overlap, window) * accumulated +
                       exposed(traffic.per_step.time(), overlap, window);
  step.work.link_bytes +=
      traffic.per_micro_batch.link_bytes * accumulated + traffic.per_step.link_bytes;
  step.straggle =
      step.compute * (question.software.time.straggle * slowest_of(question.layout.data));
  if (const double interval = exchange.interval(); interval > 0) {
    step.notes.push_back(fmt::format(
        "the exchange of gradients rests on link rates, not on a measured set: within {:.0f} %",
        100 * interval));
  }
}

void add_notes(StepTime& step, const Question& question, const models::ConvNet& net) {
  const auto& fitted = question.software.convolutions->fitted_on;
  if (std::find(fitted.begin(), fitted.end(), net.id) == fitted.end()) {
    step.notes.push_back(fmt::format("{}: not validated; the constants of {} come from {}", net.id,
                                     question.software.id, fmt::join(fitted, ", ")));
  }
  const std::int64_t least = question.software.convolutions->least_batch;
  if (question.settings.micro_batch < least) {
    step.notes.push_back(fmt::format(
        "batches below {} a card are not among the fitted ones, and what the host takes to launch "
        "kernels is not known: a small batch comes out too fast",
        least));
  }
  const auto& origin = question.calibration.gemm_origin;
  if (!origin.measured) {
    step.notes.push_back(fmt::format("the rate of products stands in from {}", origin.card));
  }
  if (question.settings.arithmetic == Dtype::fp32) {
    step.notes.emplace_back("fp32 without tensor cores: not validated");
  }
  if (!question.node.gpu.boost_clock) {
    step.notes.push_back(
        fmt::format("{} states no clock: the time of its many small kernels is "
                    "left out",
                    question.node.gpu.id));
  }
}

}  // namespace

StepTime conv_net_step(const Question& question, const models::ConvNet& net) {
  if (const auto problem = layout_problem(question)) throw std::invalid_argument(*problem);
  const Settings& settings = question.settings;
  const ConvNetWork work = conv_net_work(net);
  const Passes passes = passes_of_step(question, net, work);
  StepTime step;
  step.forward = passes.forward.time();
  step.backward = passes.backward.time();
  step.work = passes.forward;
  step.work += passes.backward;
  step.work += waiting(Cause::host, question.software.time.per_step);
  step.compute = step.work.time();
  const double ranks = question.layout.zero >= 1 ? question.layout.data : 1;
  const Update update =
      weight_update(question, static_cast<double>(models::parameters(net)) / ranks);
  step.optimizer = update.time();
  step.work += update.card;
  step.work += waiting(Cause::link, update.copies);
  add_exchange(step, question, net);
  step.work += waiting(Cause::link, step.communication + step.straggle);
  step.samples = settings.micro_batch * settings.grad_accum * question.layout.data;
  step.model_flops = (work.forward.flops + work.backward.flops) * static_cast<double>(step.samples);
  step.hardware_flops = step.model_flops;
  step.time = step.compute + step.communication + step.optimizer + step.straggle;
  step.relative_error = question.software.convolutions->relative_error;
  add_notes(step, question, net);
  return step;
}

Frequency samples_per_second(const StepTime& step) {
  return static_cast<double>(step.samples) * unit::per_s / step.time.in(unit::s);
}

}  // namespace gpucap::training

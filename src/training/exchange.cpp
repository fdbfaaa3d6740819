#include "gpucap/training/exchange.hpp"

#include "gpucap/plan/collective.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "kernel_sum.hpp"
#include <fmt/format.h>

namespace gpucap::training {
namespace {

using hardware::Collective;
using perf::Work;

bool has_rank_share(Collective collective) {
  return collective == Collective::all_reduce || collective == Collective::all_gather ||
         collective == Collective::reduce_scatter;
}

}  // namespace

Group tensor_group(const Layout& layout) {
  return {layout.tensor, 1};
}

Group context_group(const Layout& layout) {
  return {layout.context, layout.tensor};
}

Group data_group(const Layout& layout) {
  return {layout.data, layout.tensor * layout.context};
}

Group expert_group(const Layout& layout) {
  return {layout.expert, layout.tensor * layout.context};
}

Group stage_group(const Layout& layout) {
  return {layout.pipeline, layout.tensor * layout.context * layout.data};
}

int cards_per_machine(const plan::Node& node) {
  if (node.host.layout.machines > 1) return node.host.layout.gpus() / node.host.layout.machines;
  return node.host.max_gpus;
}

const perf::CollectiveFit& CollectiveBook::fit(Collective collective, int ranks) {
  const auto key = std::pair{collective, ranks};
  const auto found = fits_.find(key);
  if (found != fits_.end()) return found->second;
  return fits_.emplace(key, plan::collective_on(*calibration_, *host_, collective, ranks, ""))
      .first->second;
}

Exchange::Exchange(const Question& question)
    : question_(&question),
      own_(std::make_unique<CollectiveBook>(question.calibration, question.node.host)),
      book_(own_.get()),
      per_machine_(cards_per_machine(question.node)) {}

Exchange::Exchange(const Question& question, CollectiveBook& book)
    : question_(&question), book_(&book), per_machine_(cards_per_machine(question.node)) {}

Exchange::Spread Exchange::spread(const Group& group) const {
  const hardware::HostLayout& host = question_->node.host.layout;
  Spread result;
  result.inner = std::clamp(per_machine_ / group.stride, 1, group.ranks);
  result.outer = (group.ranks + result.inner - 1) / result.inner;
  if (result.outer == 1) return result;
  if (!host.nic || host.nics == 0) {
    throw std::invalid_argument(
        fmt::format("{} states no NICs that could join machines", question_->node.host.id));
  }
  // All cards of a machine send at once, whichever group they belong to.
  const auto& links = question_->calibration.links;
  const double efficiency = links.of(hardware::Wire::network, false).efficiency;
  result.network = *host.nic * (efficiency * host.nics / per_machine_);
  return result;
}

const perf::CollectiveFit& Exchange::fit(Collective collective, int ranks) {
  const perf::CollectiveFit& found = book_->fit(collective, ranks);
  interval_ = std::max(interval_, found.interval);
  return found;
}

/// Groups with a stride run side by side over the cards between: none of them is faster than one
/// over all of these cards would be.
Work Exchange::inside(Collective collective, const Group& group, int ranks, Bytes payload) {
  if (ranks <= 1) return {};
  perf::CollectiveFit own = fit(collective, ranks);
  const int span = std::min(ranks * group.stride, per_machine_);
  if (span > ranks && collective != Collective::send_recv) {
    own.busbw = std::min(own.busbw, fit(collective, span).busbw);
    for (auto& piece : own.smaller) piece.busbw = std::min(piece.busbw, own.busbw);
  }
  return perf::exchange(own, payload);
}

/// Between machines, each rank with its own share of the payload and of the NICs. Trees start
/// such an exchange in as many hops as doublings make up the machines.
Work Exchange::between(Collective collective, const Spread& spread, Bytes payload) {
  const auto& links = question_->calibration.links;
  const hardware::LinkRate& rate = links.of(hardware::Wire::network, false);
  interval_ = std::max(interval_, rate.error);
  const int hops = std::bit_width(static_cast<unsigned>(spread.outer - 1));
  const bool one_way = !has_rank_share(collective);
  const Bytes sent = payload * hardware::sent_share(collective, spread.outer);
  return link_work(links.launch + rate.hop * (one_way ? 1 : hops) + sent / spread.network, sent);
}

Work Exchange::all_reduce(const Group& group, Bytes payload) {
  const Spread spread = this->spread(group);
  if (spread.outer == 1) return inside(Collective::all_reduce, group, spread.inner, payload);
  Work work = inside(Collective::reduce_scatter, group, spread.inner, payload);
  work += between(Collective::all_reduce, spread, payload / spread.inner);
  work += inside(Collective::all_gather, group, spread.inner, payload);
  return work;
}

Work Exchange::all_gather(const Group& group, Bytes payload) {
  const Spread spread = this->spread(group);
  if (spread.outer == 1) return inside(Collective::all_gather, group, spread.inner, payload);
  Work work = between(Collective::all_gather, spread, payload / spread.inner);
  work += inside(Collective::all_gather, group, spread.inner, payload);
  return work;
}

Work Exchange::reduce_scatter(const Group& group, Bytes payload) {
  const Spread spread = this->spread(group);
  if (spread.outer == 1) return inside(Collective::reduce_scatter, group, spread.inner, payload);
  Work work = inside(Collective::reduce_scatter, group, spread.inner, payload);
  work += between(Collective::reduce_scatter, spread, payload / spread.inner);
  return work;
}

/// Copies to other machines and within one run side by side.
Work Exchange::all_to_all(const Group& group, Bytes payload) {
  const Spread spread = this->spread(group);
  if (spread.outer == 1) return inside(Collective::all_to_all, group, spread.inner, payload);
  const Work within = inside(Collective::all_to_all, group, spread.inner, payload / spread.outer);
  const Work without = between(Collective::all_to_all, spread, payload);
  Work longer = within.time() > without.time() ? within : without;
  longer.link_bytes = payload * hardware::sent_share(Collective::all_to_all, group.ranks);
  return longer;
}

Work Exchange::send(const Group& group, Bytes payload) {
  if (group.ranks == 1) return {};
  // The slowest hand-over decides: the one between machines, where there is any.
  const bool leaves = group.ranks * group.stride > per_machine_;
  if (!leaves) return inside(Collective::send_recv, group, 2, payload);
  return between(Collective::send_recv, spread(group), payload);
}

DataTraffic& DataTraffic::operator+=(const DataTraffic& other) {
  per_micro_batch += other.per_micro_batch;
  per_step += other.per_step;
  return *this;
}

DataTraffic data_traffic(Exchange& exchange, const Group& group, int zero,
                         const SharedWeights& weights) {
  DataTraffic traffic;
  if (group.ranks <= 1) return traffic;
  const Bytes gradients = weights.trained * weights.gradient_bytes * unit::byte;
  const double messages = std::max(1.0, weights.messages);
  const auto gather = [&] {
    return exchange.all_gather(group, weights.gathered / messages).times(messages);
  };
  const auto scatter = [&] {
    return exchange.reduce_scatter(group, gradients / messages).times(messages);
  };
  if (zero == 0) traffic.per_step = exchange.all_reduce(group, gradients);
  if (zero == 1) traffic.per_step = scatter();
  if (zero == 1 || zero == 2) traffic.per_step += gather();
  if (zero >= 2) traffic.per_micro_batch = scatter();
  if (zero == 3) traffic.per_micro_batch += gather().times(2);
  return traffic;
}

Seconds exposed(Seconds exchange, double overlap, Seconds window) {
  return exchange - std::min(exchange * overlap, window);
}

double slowest_of(int ranks) {
  if (ranks <= 1) return 0;
  const double share = (ranks - 0.375) / (ranks + 0.25);
  // Bisection of the normal distribution function: a closed form would be no shorter.
  double low = 0, high = 8;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < share ? low : high) = middle;
  }
  return low;
}

}  // namespace gpucap::training

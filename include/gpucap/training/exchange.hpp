#pragma once

#include "gpucap/hardware/collective.hpp"
#include "gpucap/perf/kernel.hpp"
#include "gpucap/training/question.hpp"
#include "gpucap/units/quantity.hpp"

#include <map>
#include <memory>
#include <utility>

namespace gpucap::training {

/// Ranks that exchange with each other: every `stride`th card of the job.
struct Group {
  int ranks = 1;
  int stride = 1;
};

/// Where ranks stand: tensor-parallel ones next to each other, then context, data, pipeline.
Group tensor_group(const Layout& layout);
Group context_group(const Layout& layout);
Group data_group(const Layout& layout);
Group expert_group(const Layout& layout);  ///< data-parallel ranks that deal out the experts
Group stage_group(const Layout& layout);

/// Collectives within one machine of a host, worked out when first asked for and kept: walking its
/// links takes longer than all kernels of a step. Host and calibration must outlive this. Not safe
/// for threads.
class CollectiveBook {
 public:
  CollectiveBook(const perf::Calibration& calibration, const hardware::Host& host)
      : calibration_(&calibration), host_(&host) {}

  [[nodiscard]] const perf::CollectiveFit& fit(hardware::Collective collective, int ranks);

 private:
  const perf::Calibration* calibration_;
  const hardware::Host* host_;
  std::map<std::pair<hardware::Collective, int>, perf::CollectiveFit> fits_;
};

/// Collectives over the cards of a question's node. Within one machine they cost what
/// plan::collective_on says; equal machines are joined by their NICs, each group with its share of
/// them: reduce-scatter inside, exchange between the machines, all-gather inside. However many
/// machines there are, no larger graph than that of the host is walked. A group of one rank costs
/// nothing. Question and book must outlive this.
class Exchange {
 public:
  explicit Exchange(const Question& question);  ///< with a book of its own
  Exchange(const Question& question, CollectiveBook& book);

  [[nodiscard]] perf::Work all_reduce(const Group& group, Bytes payload);
  /// Leaves `payload` in all on every rank.
  [[nodiscard]] perf::Work all_gather(const Group& group, Bytes payload);
  /// Of `payload` held by every rank.
  [[nodiscard]] perf::Work reduce_scatter(const Group& group, Bytes payload);
  [[nodiscard]] perf::Work all_to_all(const Group& group, Bytes payload);
  /// Each rank to the next one of its group.
  [[nodiscard]] perf::Work send(const Group& group, Bytes payload);

  /// Relative error, either way, of the slowest kind of exchange that was asked for; 0: measured.
  [[nodiscard]] double interval() const { return interval_; }

 private:
  /// How a group lies: ranks of one machine, machines, and what each rank may send outwards.
  struct Spread {
    int inner = 1, outer = 1;
    Bandwidth network;
  };
  [[nodiscard]] Spread spread(const Group& group) const;
  [[nodiscard]] perf::Work inside(hardware::Collective collective, const Group& group, int ranks,
                                  Bytes payload);
  [[nodiscard]] perf::Work between(hardware::Collective collective, const Spread& spread,
                                   Bytes payload);
  [[nodiscard]] const perf::CollectiveFit& fit(hardware::Collective collective, int ranks);

  const Question* question_;
  std::unique_ptr<CollectiveBook> own_;
  CollectiveBook* book_;
  int per_machine_;
  double interval_ = 0;
};

/// Cards of one machine of the host.
int cards_per_machine(const plan::Node& node);

/// What data-parallel ranks exchange in a step.
struct DataTraffic {
  perf::Work per_micro_batch;  ///< weights gathered, gradients scattered
  perf::Work per_step;

  DataTraffic& operator+=(const DataTraffic& other);
};

/// Numbers of one rank's weights that `group` shares or shards, in so many messages (layers).
struct SharedWeights {
  double trained = 0;         ///< numbers with gradients
  Bytes gathered;             ///< of all weights as they are sent, trained or not
  double gradient_bytes = 2;  ///< per number sent
  double messages = 1;
};

/// By ZeRO stage: all-reduce of gradients once a step; 1: scattered and weights gathered once;
/// 2: scattered after every micro-batch; 3: weights gathered forward and backward besides.
DataTraffic data_traffic(Exchange& exchange, const Group& group, int zero,
                         const SharedWeights& weights);

/// What is left of an exchange of which `overlap` can hide behind `window` of compute.
Seconds exposed(Seconds exchange, double overlap, Seconds window);

/// Expected maximum of `ranks` standard normal numbers (Blom): what a step that waits for the
/// slowest of them loses in deviations of one.
double slowest_of(int ranks);

}  // namespace gpucap::training

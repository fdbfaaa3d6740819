// EASY backfill against a plain version of it: counts of GPUs by node, copied and walked through
// for every decision, and a queue that is looked at job by job.
#include "gpucap/core/random.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "support/catch.hpp"
#include "support/job_clusters.hpp"

using namespace gpucap;
using namespace gpucap::cluster;

namespace {

using Counts = std::vector<std::int64_t>;  // GPUs by node

class PlainEasy {
 public:
  PlainEasy(std::int64_t nodes, std::int64_t per_node)
      : per_node_(per_node), free_(static_cast<std::size_t>(nodes), per_node) {}

  /// Start of each job in nanoseconds.
  std::vector<std::int64_t> starts(const std::vector<Job>& jobs) {
    starts_.assign(jobs.size(), -1);
    std::size_t next = 0;
    while (next < jobs.size() || !running_.empty()) {
      now_ = next < jobs.size() ? jobs[next].submit.ns : SimTime::never().ns;
      for (const Running& one : running_) now_ = std::min(now_, one.end);
      const auto gone = std::erase_if(running_, [&](const Running& one) {
        if (one.end == now_) add(free_, one.on);
        return one.end == now_;
      });
      if (gone > 0) head_.reset();
      for (; next < jobs.size() && jobs[next].submit.ns == now_; ++next) queue_.push_back(next);
      decide(jobs);
    }
    return starts_;
  }

 private:
  struct Running {
    std::int64_t end, expected;
    Counts on;
  };

  static void add(Counts& to, const Counts& counts) {
    for (std::size_t n = 0; n < to.size(); ++n) to[n] += counts[n];
  }

  /// Best fit, the first node among equals; whole nodes first and then the rest. Empty: no fit.
  [[nodiscard]] Counts placed(Counts free, std::int64_t gpus) const {
    Counts on(free.size(), 0);
    for (; gpus > per_node_; gpus -= per_node_) {
      const auto node = std::ranges::find(free, per_node_);
      if (node == free.end()) return {};
      on[static_cast<std::size_t>(node - free.begin())] = per_node_;
      *node = 0;
    }
    std::optional<std::size_t> best;
    for (std::size_t n = 0; n < free.size(); ++n) {
      if (free[n] >= gpus && (!best || free[n] < free[*best])) best = n;
    }
    if (!best) return {};
    on[*best] += gpus;
    return on;
  }

  void decide(const std::vector<Job>& jobs) {
    std::optional<std::int64_t> shadow;
    std::vector<std::size_t> left;
    for (const std::size_t number : queue_) {
      const Job& one = jobs[number];
      const std::int64_t gpus = one.gpu_thousandths / 1000;
      const bool in_time = !shadow || now_ + one.estimate().ns <= *shadow;
      Counts room = free_;
      if (!in_time) {
        for (std::size_t n = 0; n < room.size(); ++n) room[n] = std::min(room[n], extra_[n]);
      }
      const Counts on = placed(room, gpus);
      if (!on.empty()) {
        start(number, one, on);
        if (!in_time) subtract(extra_, on);
        continue;
      }
      left.push_back(number);
      if (!shadow) shadow = promise(number, gpus);
    }
    queue_ = left;
  }

  static void subtract(Counts& from, const Counts& counts) {
    for (std::size_t n = 0; n < from.size(); ++n) from[n] -= counts[n];
  }

  void start(std::size_t number, const Job& one, const Counts& on) {
    subtract(free_, on);
    running_.push_back({now_ + one.work.ns, now_ + one.estimate().ns, on});
    starts_[number] = now_;
  }

  /// What the head was told stands until a job ends, or until its time has come to nothing.
  std::int64_t promise(std::size_t number, std::int64_t gpus) {
    if (head_ != number || shadow_ <= now_) {
      head_ = number;
      shadow_ = reserve(gpus, extra_);
    }
    return shadow_;
  }

  /// When the head will fit, and what is extra then.
  std::int64_t reserve(std::int64_t gpus, Counts& extra) const {
    std::vector<std::int64_t> instants;
    for (const Running& one : running_) instants.push_back(std::max(now_, one.expected));
    std::ranges::sort(instants);
    for (const std::int64_t instant : instants) {
      extra = free_;
      for (const Running& one : running_) {
        if (one.expected <= instant) add(extra, one.on);
      }
      const Counts on = placed(extra, gpus);
      if (on.empty()) continue;
      subtract(extra, on);
      return instant;
    }
    throw std::logic_error("a job that no empty cluster can hold");
  }

  std::int64_t per_node_, now_ = 0, shadow_ = 0;
  Counts free_, extra_;
  std::optional<std::size_t> head_;
  std::vector<Running> running_;
  std::vector<std::size_t> queue_;
  std::vector<std::int64_t> starts_;
};

/// Sizes up to the whole cluster, estimates from a third to three times the run time.
std::vector<Job> random_jobs(RandomStream& random, std::int64_t most_gpus) {
  std::vector<Job> jobs;
  std::int64_t submit = 0;
  const auto kind = test::plain_kind();
  for (int i = 0; i < 80; ++i) {
    submit += random.uniform_int(0, 12);
    const std::int64_t gpus = 1 + static_cast<std::int64_t>(static_cast<double>(most_gpus) *
                                                            std::pow(random.uniform(), 3));
    Job one = test::job(std::to_string(i), submit, gpus, random.uniform_int(1, 60), kind);
    one.limit = SimTime{random.uniform_int(one.work.ns / 3, 3 * one.work.ns)};
    jobs.push_back(one);
  }
  return jobs;
}

}  // namespace

TEST_CASE("every job starts when a plain EASY starts it, on 1500 random clusters") {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    INFO("seed " << seed);
    RandomStream random(seed, "clusters");
    const std::int64_t nodes = random.uniform_int(1, 5), per_node = random.uniform_int(1, 5);
    const auto jobs = random_jobs(random, nodes * per_node);
    const auto result = test::run(test::plan_of(nodes, per_node, Backfill::easy), jobs);
    const auto expected = PlainEasy(nodes, per_node).starts(jobs);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      INFO("job " << i);
      REQUIRE(result.stories.start(jobs[i].id) ==
              Approx(as_seconds(SimTime{expected[i]})).margin(1e-6));
    }
  }
}

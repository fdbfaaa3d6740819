#pragma once

#include "gpucap/serving/sequence.hpp"
#include "gpucap/units/sim_time.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <boost/circular_buffer.hpp>

namespace gpucap::serving {

/// Requests between client and engine, in the order in which they come: those that clients send,
/// and those that the front end hands on after a constant delay. Each of the two is in order by
/// itself, so two queues do what would otherwise need a heap.
class Incoming {
 public:
  struct Request {
    Sequence& sequence;
    bool admitted = false;  ///< handed on by the front end
  };

  /// Times of one kind never decrease.
  void add(Sequence& sequence, SimTime time, bool admitted) {
    Queue& queue = admitted ? admitted_ : sent_;
    if (queue.full()) queue.set_capacity(std::max<std::size_t>(16, 2 * queue.capacity()));
    queue.push_back({time, turns_++, &sequence});
    next_ = std::min(next_, time);
  }
  /// When the next one comes; never() when none is under way.
  [[nodiscard]] SimTime next() const { return next_; }
  /// Takes the next one; of equal times the one that was added first.
  Request take() {
    const bool admitted = !admitted_.empty() && (sent_.empty() || before(admitted_, sent_));
    Queue& queue = admitted ? admitted_ : sent_;
    const Request taken{*queue.front().sequence, admitted};
    queue.pop_front();
    next_ = std::min(time_of(sent_), time_of(admitted_));
    return taken;
  }

 private:
  struct Entry {
    SimTime time;
    std::uint64_t turn = 0;
    Sequence* sequence = nullptr;
  };
  using Queue = boost::circular_buffer<Entry>;

  static SimTime time_of(const Queue& queue) {
    return queue.empty() ? SimTime::never() : queue.front().time;
  }
  static bool before(const Queue& a, const Queue& b) {
    return std::pair(a.front().time, a.front().turn) < std::pair(b.front().time, b.front().turn);
  }

  Queue sent_, admitted_;
  SimTime next_ = SimTime::never();
  std::uint64_t turns_ = 0;
};

}  // namespace gpucap::serving

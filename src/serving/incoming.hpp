#pragma once

#include "gpucap/units/sim_time.hpp"
#include "gpucap/workload/request.hpp"

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
    workload::Request request;
    bool admitted = false;  ///< handed on by the front end
  };

  /// Times of one kind never decrease.
  void add(workload::Request request, SimTime time, bool admitted) {
    Queue& queue = admitted ? admitted_ : sent_;
    if (queue.full()) queue.set_capacity(std::max<std::size_t>(16, 2 * queue.capacity()));
    queue.push_back({time, turns_++, std::move(request)});
  }
  /// When the next one comes; never() when none is under way.
  [[nodiscard]] SimTime next() const { return std::min(time_of(sent_), time_of(admitted_)); }
  /// Takes the next one; of equal times the one that was added first.
  Request take() {
    const bool admitted = !admitted_.empty() && (sent_.empty() || before(admitted_, sent_));
    Queue& queue = admitted ? admitted_ : sent_;
    Request taken{std::move(queue.front().request), admitted};
    queue.pop_front();
    return taken;
  }

 private:
  struct Entry {
    SimTime time;
    std::uint64_t turn = 0;
    workload::Request request;
  };
  using Queue = boost::circular_buffer<Entry>;

  static SimTime time_of(const Queue& queue) {
    return queue.empty() ? SimTime::never() : queue.front().time;
  }
  static bool before(const Queue& a, const Queue& b) {
    return std::pair(a.front().time, a.front().turn) < std::pair(b.front().time, b.front().turn);
  }

  Queue sent_, admitted_;
  std::uint64_t turns_ = 0;
};

}  // namespace gpucap::serving

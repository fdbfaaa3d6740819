#pragma once

#include "gpucap/serving/sequence.hpp"
#include "gpucap/units/sim_time.hpp"

#include <cstddef>
#include <vector>

namespace gpucap::serving {

/// A step that has been decided and has not ended.
struct Flight {
  Ticks end;
  std::vector<Sequence*> finished;  ///< who has all its tokens with it
  std::vector<Sequence*> awaited;   ///< who waits for its token, in pipelines
};

/// The steps in flight of one replica, oldest first: a ring, whose records keep their memory.
class Flights {
 public:
  explicit Flights(std::size_t depth) : ring_(depth) {}

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] bool full() const { return size_ == ring_.size(); }
  [[nodiscard]] std::size_t depth() const { return ring_.size(); }
  [[nodiscard]] Flight& front() { return ring_[first_]; }
  [[nodiscard]] const Flight& front() const { return ring_[first_]; }
  [[nodiscard]] Flight& back() { return (*this)[size_ - 1]; }
  [[nodiscard]] Flight& operator[](std::size_t i) { return ring_[place(i)]; }

  /// Does anybody finish with a step before the last one?
  [[nodiscard]] bool finishing() const {
    for (std::size_t i = 0; i + 1 < size_; ++i) {
      if (!ring_[place(i)].finished.empty()) return true;
    }
    return false;
  }

  Flight& push(Ticks end) {
    Flight& flight = (*this)[size_++];
    flight.end = end;
    flight.finished.clear();
    flight.awaited.clear();
    return flight;
  }
  void pop() {
    first_ = place(1);
    --size_;
  }

 private:
  /// In the ring, of the i-th; i is at most its size. A remainder would be a division.
  [[nodiscard]] std::size_t place(std::size_t i) const {
    const std::size_t at = first_ + i;
    return at < ring_.size() ? at : at - ring_.size();
  }

  std::vector<Flight> ring_;
  std::size_t first_ = 0, size_ = 0;
};

}  // namespace gpucap::serving

#include "gpucap/metrics/overload.hpp"

#include <algorithm>

#include "rows.hpp"
#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::metrics;

namespace {

/// `n` arrivals 1 s apart at one server that takes `service_ms` each, first come first served.
void single_server(OverloadDetector& sink, std::int64_t n, std::int64_t service_ms) {
  std::vector<std::int64_t> starts;
  std::int64_t free_at = 0;
  for (std::int64_t id = 0; id < n; ++id) {
    const std::int64_t arrival = id * 1000;
    const std::int64_t start = std::max(arrival, free_at);
    const auto waiting =
        std::count_if(starts.begin(), starts.end(), [&](std::int64_t s) { return s > arrival; });
    free_at = start + service_ms;
    sink.arrived(id, at_ms(arrival), waiting);
    sink.finished(row_ms(arrival, start, start, free_at, 1));
    starts.push_back(start);
  }
}

/// Arrivals at 0, 1, 2, 3, 4 ms: the middle is 2 ms, two arrive in the second half.
void five_arrivals(OverloadDetector& sink, std::int64_t queue_mid, std::int64_t queue_last) {
  const std::int64_t queues[] = {0, 50, queue_mid, 70, queue_last};
  for (std::int64_t id = 0; id < 5; ++id) sink.arrived(id, at_ms(id), queues[id]);
}

}  // namespace

TEST_CASE("a server with 2 s of work for each second of arrivals is overloaded") {
  // Arrivals at 0..100 s, span 100 s, middle 50 s: 50 arrive in (50, 100]. One finishes each 2 s:
  // 25 in the second half. At 50 s the requests begun are those up to number 25 (at 50 s), so of
  // the earlier 0..49 there wait 26..49 = 24; at 100 s those of 0..99 past 50: 49 > 2 x 24.
  OverloadDetector sink(LoopKind::open);
  single_server(sink, 101, 2000);
  const OverloadVerdict verdict = sink.verdict();
  CHECK(verdict.arrived == 50);
  CHECK(verdict.finished == 25);
  CHECK(verdict.queue_mid == 24);
  CHECK(verdict.queue_last == 49);
  CHECK(verdict.overloaded);
  CHECK(verdict.reason() == "0.5 of 1 requests/s finished while the queue grew from 24 to 49");
}

TEST_CASE("a server with half a second of work for each second is not overloaded") {
  OverloadDetector sink(LoopKind::open);
  single_server(sink, 101, 500);
  CHECK_FALSE(sink.verdict().overloaded);
}

TEST_CASE("a closed loop is never overloaded") {
  OverloadDetector sink(LoopKind::closed);
  single_server(sink, 101, 2000);
  CHECK_FALSE(sink.verdict().overloaded);
}

TEST_CASE("all at once and nothing at all are never overloaded") {
  OverloadDetector sink(LoopKind::open);
  CHECK_FALSE(sink.verdict().overloaded);
  for (std::int64_t id = 0; id < 100; ++id) sink.arrived(id, at_ms(7), id);
  CHECK_FALSE(sink.verdict().overloaded);
}

TEST_CASE("a long queue that does not grow by half is no overload; steady growth doubles it") {
  // Nothing finishes; 10 -> 15 is 1.5 times, 10 -> 16 is more.
  OverloadDetector half(LoopKind::open);
  five_arrivals(half, 10, 15);
  CHECK_FALSE(half.verdict().overloaded);
  OverloadDetector more(LoopKind::open);
  five_arrivals(more, 10, 16);
  CHECK(more.verdict().overloaded);
}

TEST_CASE("exactly 95 of 100 finished is enough and 94 is not") {
  // 201 arrivals at 0..200 ms: 100 in (100, 200]. Finishing at 100 ms is before the half, at 200
  // in.
  for (const std::int64_t finished : {95, 94}) {
    OverloadDetector sink(LoopKind::open);
    for (std::int64_t id = 0; id <= 200; ++id) sink.arrived(id, at_ms(id), id);
    sink.finished(row_ms(0, 0, 0, 100, 1));
    sink.finished(row_ms(0, 0, 0, 201, 1));
    for (std::int64_t k = 0; k < finished; ++k) sink.finished(row_ms(0, 0, 0, 200 - k, 1));
    // The queue went from 100 to 200.
    sink.arrived(201, at_ms(200), 201);
    CHECK(sink.verdict().arrived == 101);
    sink.refused(201, at_ms(200));
    CHECK(sink.verdict().arrived == 100);
    CHECK(sink.verdict().finished == finished);
    CHECK(sink.verdict().overloaded == (finished == 94));
  }
}

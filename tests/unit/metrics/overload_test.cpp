#include "gpucap/metrics/overload.hpp"

#include <algorithm>
#include <vector>

#include "rows.hpp"
#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::metrics;

namespace {

/// `n` arrivals 1 s apart at one server that takes `service_ms` each, first come first served; told
/// in order of time, at one instant the finish first.
void single_server(OverloadDetector& sink, std::int64_t n, std::int64_t service_ms) {
  std::vector<record::RequestRow> rows;
  std::size_t told = 0;
  for (std::int64_t id = 0; id < n; ++id) {
    const SimTime now = at_ms(id * 1000);
    while (told < rows.size() && rows[told].finished <= now) sink.finished(rows[told++]);
    const auto waiting = std::count_if(rows.begin(), rows.end(),
                                       [&](const auto& row) { return row.scheduled > now; });
    sink.arrived(id, now, waiting);
    const SimTime start = std::max(now, rows.empty() ? now : rows.back().finished);
    rows.push_back(row_ms(0, 0, 0, 0, 1));
    rows.back().scheduled = start;
    rows.back().finished = {start.ns + at_ms(service_ms).ns};
  }
  while (told < rows.size()) sink.finished(rows[told++]);
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
  // 201 arrivals at 0..200 ms, the middle is 100 ms: what finishes then happens before that
  // arrival. One finishes at each of the last 95 (94) ms, that of 200 ms with the last arrival; a
  // request that arrives and is refused there counts on neither side.
  for (const std::int64_t finished : {95, 94}) {
    OverloadDetector sink(LoopKind::open);
    for (std::int64_t id = 0; id <= 200; ++id) {
      if (id == 100 || id > 200 - finished) sink.finished(row_ms(0, 0, 0, id, 1));
      sink.arrived(id, at_ms(id), id);
    }
    // The queue went from 100 to 200.
    sink.arrived(201, at_ms(200), 201);
    CHECK(sink.verdict().arrived == 101);
    sink.refused(201, at_ms(200));
    CHECK(sink.verdict().arrived == 100);
    sink.finished(row_ms(0, 0, 0, 201, 1));
    CHECK(sink.verdict().finished == finished);
    CHECK(sink.verdict().overloaded == (finished == 94));
  }
}

TEST_CASE("the second half begins with the last arrival that is not after the middle") {
  // Arrivals at 0, 3 and 10 ms: the middle is 5 ms, the half is (3, 10]. The finishes at 4 and 10
  // ms are in it, those at 3 and 11 ms are not. The refusal at 3 ms is that of the second arrival.
  OverloadDetector sink(LoopKind::open);
  sink.arrived(0, at_ms(0), 0);
  sink.finished(row_ms(0, 0, 0, 3, 1));
  sink.arrived(1, at_ms(3), 2);
  sink.refused(1, at_ms(3));
  sink.finished(row_ms(0, 0, 0, 4, 1));
  sink.finished(row_ms(0, 0, 0, 10, 1));
  sink.arrived(2, at_ms(10), 5);
  sink.finished(row_ms(0, 0, 0, 11, 1));
  CHECK(sink.verdict().arrived == 1);
  CHECK(sink.verdict().finished == 2);
  CHECK(sink.verdict().queue_mid == 2);
  CHECK(sink.verdict().queue_last == 5);
  CHECK(sink.verdict().half_s == Approx(0.007));
}

TEST_CASE("of 100,000 arrivals every eighth is kept: the half begins up to 7 arrivals early") {
  // Numbers 0..99,999, 1 ms apart, the queue as long as the number; with each even one something
  // finishes. 2^14 checkpoints are full at 16,384, 32,768 and 65,536 arrivals, so 8 apart. Middle
  // 49,999.5 ms; the last kept before it is 49,992 = 8 x 6,249. From there 50,007 arrive, and even
  // numbers 49,994 ... 99,998 are 25,003.
  OverloadDetector sink(LoopKind::open);
  for (std::int64_t id = 0; id < 100'000; ++id) {
    if (id % 2 == 0) sink.finished(row_ms(0, 0, 0, id, 1));
    sink.arrived(id, at_ms(id), id);
  }
  const OverloadVerdict verdict = sink.verdict();
  CHECK(verdict.arrived == 50'007);
  CHECK(verdict.finished == 25'003);
  CHECK(verdict.queue_mid == 49'992);
  CHECK(verdict.queue_last == 99'999);
  CHECK(verdict.half_s == Approx(50.007));
  CHECK(verdict.overloaded);
}

TEST_CASE("up to 2^14 arrivals and the last one nothing is dropped") {
  // Numbers 0..16,384: middle 8,192 ms is an arrival itself.
  OverloadDetector sink(LoopKind::open);
  for (std::int64_t id = 0; id <= 16'384; ++id) sink.arrived(id, at_ms(id), id);
  CHECK(sink.verdict().queue_mid == 8'192);
  // One more: middle 8,192.5; of every second arrival 8,192 is still one.
  sink.arrived(16'385, at_ms(16'385), 0);
  CHECK(sink.verdict().queue_mid == 8'192);
  // Middle 8,193: it was dropped.
  sink.arrived(16'386, at_ms(16'386), 0);
  CHECK(sink.verdict().queue_mid == 8'192);
}

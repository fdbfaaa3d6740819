#include "gpucap/metrics/slo.hpp"

#include "gpucap/metrics/slo_attainment.hpp"

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "rows.hpp"
#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::metrics;

namespace {

std::string faults_of(std::string_view text) {
  try {
    parse_slo(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

/// What a run is told, and what limits say of it.
struct Told {
  std::vector<record::RequestRow> rows;
  std::int64_t refused = 0;
  std::vector<record::TokenGaps> gaps;

  struct Answer {
    bool met;
    std::vector<std::string> misses;
    std::optional<double> attained;
  };
  [[nodiscard]] Answer against(const std::string& limits) const {
    const Slo slo = parse_slo(limits);
    LatencyMetrics latency;
    SloAttainment attainment(slo);
    const auto arrived = static_cast<std::int64_t>(rows.size()) + refused;
    for (record::Sink* sink : std::initializer_list<record::Sink*>{&latency, &attainment}) {
      for (std::int64_t id = 0; id < arrived; ++id) sink->arrived(id, at_ms(0), 0);
      for (const auto& row : rows) sink->finished(row);
      for (std::int64_t id = 0; id < refused; ++id) sink->refused(id, at_ms(0));
      for (const auto& gap : gaps) sink->token_gaps(gap);
    }
    const SloVerdict verdict = evaluate_slo(slo, latency.summaries(), latency.counts());
    return {verdict.met, verdict.misses, attainment.share()};
  }
};

/// One request per first-token time in ms; all finish 1 s later after 11 tokens (TPOT 100 ms).
Told with_ttft(std::initializer_list<std::int64_t> first_tokens_ms) {
  Told told;
  for (const std::int64_t first : first_tokens_ms) {
    told.rows.push_back(row_ms(0, 0, first, first + 1000, 11));
  }
  return told;
}

}  // namespace

TEST_CASE("two limits are read with their units") {
  const Slo slo = parse_slo("ttft_p95<2s, tpot_mean <= 100 ms");
  REQUIRE(slo.size() == 2);
  CHECK(slo[0].metric == Metric::ttft);
  CHECK(slo[0].statistic == Statistic::p95);
  CHECK(slo[0].limit.in(unit::s) == Approx(2));
  CHECK(slo[1].name() == "tpot_mean");
  CHECK(slo[1].limit.in(unit::ms) == Approx(100));
}

TEST_CASE("every wrong limit is named with its cure") {
  CHECK(faults_of("ttfp_p95<2s") ==
        "--slo: unknown metric \"ttfp\"; did you mean \"ttft\"? [unknown-name]");
  CHECK(faults_of("e2e_p98<2s,ttft_p95<2") ==
        "--slo: unknown statistic \"p98\"; closest: p90, p95, p99, p50, max [unknown-name]\n"
        "--slo: \"2\" has no unit; write for example \"100 ms\" [missing-unit]");
  CHECK(faults_of("ttft<2s") ==
        "--slo: \"ttft\" names no statistic; write for example \"ttft_p95\" [slo-syntax]");
  CHECK(faults_of("ttft_p95>2s") ==
        "--slo: \"ttft_p95>2s\" is no limit; write for example \"ttft_p95<2s\" [slo-syntax]");
  CHECK(faults_of("") == "--slo: \"\" is no limit; write for example \"ttft_p95<2s\" [slo-syntax]");
  CHECK(faults_of("ttft_p95<2s,") ==
        "--slo: \"\" is no limit; write for example \"ttft_p95<2s\" [slo-syntax]");
  CHECK(faults_of("ttft_p95<0s") ==
        "--slo: a limit of \"0s\" can never hold; it must be positive [out-of-range]");
  CHECK(faults_of("itl_max<1s,itl_max<2s") ==
        "--slo: itl_max has two limits; keep one [duplicate-name]");
}

TEST_CASE("the fault says which file and key the text came from") {
  const Problem where{"rag.json", "3:10", "/slo", "", ""};
  try {
    parse_slo("ttft_p95<2", where);
    FAIL("accepted a limit without unit");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).starts_with("rag.json:3:10: /slo: \"2\" has no unit"));
  }
}

TEST_CASE("a value at the limit meets it and one nanosecond more misses it") {
  Told told = with_ttft({2000});
  CHECK(told.against("ttft_max<2s").met);
  record::RequestRow late = row_ms(0, 0, 2000, 3000, 11);
  late.first_token.ns += 1;
  told.rows.push_back(late);
  const auto answer = told.against("ttft_max<2s");
  CHECK_FALSE(answer.met);
  CHECK(answer.misses == std::vector<std::string>{"ttft_max 2.000000001 s > 2 s"});
  CHECK(*answer.attained == Approx(0.5));
}

TEST_CASE("misses are sentences in the unit of the limit") {
  // Four requests: TTFT 1.0, 1.5, 2.0, 2.7 s, so p95 = 2.7 s and mean 1.8 s; TPOT 100 ms each.
  const auto answer = with_ttft({1000, 1500, 2000, 2700})
                          .against("ttft_p95<2s,ttft_mean<1.8s,tpot_p95<99.5ms,e2e_p50<30s");
  CHECK_FALSE(answer.met);
  CHECK(answer.misses ==
        std::vector<std::string>{"ttft_p95 2.70 s > 2 s", "tpot_p95 100 ms > 99.5 ms"});
}

TEST_CASE("a request attains when each of its own values is within its limit") {
  // TTFT limits 2 s: 3 of 4 hold it. E2E limit 2.6 s (TTFT + 1 s): 2.0, 2.5 hold it. Both: 2 of 4.
  const Told told = with_ttft({1000, 1500, 2000, 2700});
  CHECK(*told.against("ttft_p50<2s").attained == Approx(0.75));
  CHECK(*told.against("ttft_p50<2s,e2e_max<2.6s").attained == Approx(0.5));
  CHECK(*told.against("tpot_p99<100ms").attained == Approx(1));
  CHECK(*told.against("tpot_p99<99ms").attained == Approx(0));
}

TEST_CASE("of two limits on one metric a request must hold the tighter, in either order") {
  // TTFT 1.0, 1.5, 2.0, 2.7 s: two within 1.5 s.
  const Told told = with_ttft({1000, 1500, 2000, 2700});
  CHECK(*told.against("ttft_p50<1.5s,ttft_max<3s").attained == Approx(0.5));
  CHECK(*told.against("ttft_max<3s,ttft_p50<1.5s").attained == Approx(0.5));
  CHECK(*told.against("tpot_p50<99ms,tpot_max<3s").attained == Approx(0));
}

TEST_CASE("a wait before the first step counts against a queue limit") {
  Told told;
  for (const std::int64_t wait : {0, 5, 6}) told.rows.push_back(row_ms(0, wait, 10, 20, 2));
  CHECK(*told.against("queue_max<5ms").attained == Approx(2.0 / 3));
}

TEST_CASE("a single token cannot miss a limit on time per token") {
  Told told;
  told.rows.push_back(row_ms(0, 0, 500, 500, 1));
  const auto answer = told.against("tpot_p95<1ms");
  CHECK(*answer.attained == Approx(1));
  CHECK(answer.misses == std::vector<std::string>{"tpot_p95 has no sample"});
}

TEST_CASE("refused requests do not attain, and a percentile that falls on them is missed") {
  // 18 answered at once and 2 refused: rank 18 of 20 (p90) is answered, rank 19 (p95) is not.
  Told told;
  told.rows.assign(18, row_ms(0, 0, 1, 11, 11));
  told.refused = 2;
  const auto answer = told.against("ttft_p90<1s,ttft_p95<1s");
  CHECK(answer.misses ==
        std::vector<std::string>{"ttft_p95 falls on a refused request (2 of 20 refused)"});
  CHECK(*answer.attained == Approx(0.9));
}

TEST_CASE("with nothing finished every limit is missed and nothing is attained") {
  Told told;
  CHECK_FALSE(told.against("ttft_p95<2s").attained.has_value());
  told.refused = 1;
  const auto answer = told.against("ttft_p95<2s,itl_max<1s");
  CHECK_FALSE(answer.met);
  CHECK(answer.misses.size() == 2);
  CHECK(*answer.attained == Approx(0));
}

TEST_CASE("a limit on gaps speaks of no single request") {
  Told told = with_ttft({1000});
  told.gaps = {{to_ticks(at_ms(40)), 99}, {to_ticks(at_ms(90)), 1}};
  const auto answer = told.against("itl_p99<50ms,itl_max<50ms");
  CHECK(answer.misses == std::vector<std::string>{"itl_max 90.0 ms > 50 ms"});
  CHECK_FALSE(answer.attained.has_value());
}

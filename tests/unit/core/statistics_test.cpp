#include "gpucap/core/statistics.hpp"

#include "support/catch.hpp"

using namespace gpucap;

TEST_CASE("1..20 has p95 19 and p99 20 by nearest rank") {
  std::vector<double> values;
  for (int i = 20; i >= 1; --i) values.push_back(i);
  const Summary summary = summarize(values);
  CHECK(*summary.p95 == 19);
  CHECK(*summary.p99 == 20);
  CHECK(*summary.p50 == 10);
  CHECK(*summary.mean == Approx(10.5));
}

TEST_CASE("one sample is every percentile, no sample is none") {
  const Summary one = summarize({4});
  CHECK(*one.p50 == 4);
  CHECK(*one.p99 == 4);
  CHECK_FALSE(summarize({}).mean.has_value());
}

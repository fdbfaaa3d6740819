#include "gpucap/metrics/request_log.hpp"

#include <vector>

#include "rows.hpp"
#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::metrics;

TEST_CASE("each finished request is written once, in the order of finishing") {
  std::vector<std::int64_t> written;
  RequestLog log([&](const record::RequestRow& row) { written.push_back(row.id); });
  log.arrived(1, at_ms(0), 0);
  log.refused(3, at_ms(0));
  for (const std::int64_t id : {2, 0, 1}) {
    record::RequestRow row = row_ms(0, 1, 2, 3, 4);
    row.id = id;
    log.finished(row);
  }
  CHECK(written == std::vector<std::int64_t>{2, 0, 1});
}

#include "gpucap/calibrate/collectives.hpp"

#include <algorithm>
#include <sstream>

#include "support/catch.hpp"
#include "written_file.hpp"

using namespace gpucap;
using namespace gpucap::calibrate;
using test::WrittenFile;

namespace {

perf::CollectiveFit truth(int ranks) {
  perf::CollectiveFit fit;
  fit.ranks = ranks;
  fit.alpha = 8 * unit::us;
  fit.busbw = 40 * unit::GB_per_s;
  fit.q = 1.5;
  return fit;
}

/// 512 B to 256 MiB, all-reduce of four and all-gather of two ranks.
std::string table() {
  std::ostringstream csv;
  csv.precision(10);
  csv << "impl,collective,ranks,bytes,time_us\n";
  for (std::int64_t bytes = 512; bytes <= 268435456; bytes *= 2) {
    const Bytes payload = static_cast<double>(bytes) * unit::byte;
    csv << "ring,all_reduce,4," << bytes << ','
        << perf::all_reduce(truth(4), payload).time().in(unit::us) << '\n';
    csv << "ring,all_gather,2," << bytes << ','
        << perf::all_gather(truth(2), payload).time().in(unit::us) << '\n';
  }
  return csv.str();
}

}  // namespace

TEST_CASE("collectives made from known sets give them back, one set by kind and ranks") {
  const WrittenFile file(table());
  std::vector<SampleTable> tables;
  tables.push_back(SampleTable::read(file.path()));
  const FitPlan plan = plan_sets(tables, "toy", "toy-host");
  REQUIRE(plan.sets.size() == 2);
  const FittedSets fitted = fit_sets(tables, plan, {});
  for (const FittedSet& set : fitted.sets) {
    INFO(set.plan.collective);
    CHECK(set.plan.implementation == "ring");
    REQUIRE(set.pieces.size() == 1);
    CHECK(set.form == "one piece");
    CHECK(set.pieces[0].alpha.in(unit::us) == Approx(8));
    CHECK(set.pieces[0].busbw.in(unit::GB_per_s) == Approx(40));
    CHECK(set.pieces[0].q == Approx(1.5));
    // 20 sizes: every fifth is held out.
    CHECK(set.points == 16);
    CHECK(set.held_out.points == 4);
  }
}

TEST_CASE("two algorithms are told apart by the lower envelope of two lines") {
  // All-reduce of two ranks sends its payload: min(5 us + S / 10 GB/s, 45 us + S / 50 GB/s) meet at
  // 40 us / (1/10 - 1/50 ns per byte) = 40,000 / 0.08 = 500,000 bytes.
  std::ostringstream csv;
  csv.precision(10);
  csv << "collective,ranks,bytes,time_us\n";
  for (std::int64_t bytes = 512; bytes <= 268435456; bytes *= 2) {
    const auto payload = static_cast<double>(bytes);
    csv << "all_reduce,2," << bytes << ',' << std::min(5 + payload / 10e3, 45 + payload / 50e3)
        << '\n';
  }
  const WrittenFile file(csv.str());
  std::vector<SampleTable> tables;
  tables.push_back(SampleTable::read(file.path()));
  const FittedSets fitted = fit_sets(tables, plan_sets(tables, "toy", "toy-host"), {});
  REQUIRE(fitted.sets.size() == 1);
  const FittedSet& set = fitted.sets[0];
  REQUIRE(set.pieces.size() == 2);
  CHECK(set.form == "two lines");
  CHECK(set.pieces[0].below->in(unit::byte) == Approx(500000).epsilon(0.01));
  CHECK(set.pieces[0].alpha.in(unit::us) == Approx(5).epsilon(0.01));
  CHECK(set.pieces[1].busbw.in(unit::GB_per_s) == Approx(50).epsilon(0.01));
  CHECK(set.held_out.p95 < 0.01);
}

TEST_CASE("a stated limit separates pieces that do not meet") {
  // Below 64 KiB a start of 5 us, from there on one of 20 us: no envelope of lines has such a step.
  std::ostringstream csv;
  csv.precision(10);
  csv << "collective,ranks,bytes,time_us\n";
  for (std::int64_t bytes = 512; bytes <= 268435456; bytes *= 2) {
    const auto payload = static_cast<double>(bytes);
    csv << "all_reduce,2," << bytes << ',' << (bytes < 65536 ? 5 : 20) + payload / 50e3 << '\n';
  }
  const WrittenFile file(csv.str());
  std::vector<SampleTable> tables;
  tables.push_back(SampleTable::read(file.path()));
  FitPlan plan = plan_sets(tables, "toy", "toy-host");
  plan.sets.at(0).limits = {{64 * unit::KiB}};
  const FittedSet set = fit_sets(tables, plan, {}).sets.at(0);
  REQUIRE(set.pieces.size() == 2);
  CHECK(*set.pieces[0].below == 64 * unit::KiB);
  CHECK(set.pieces[1].alpha.in(unit::us) == Approx(20).epsilon(0.01));
  CHECK(set.held_out.p95 < 0.01);
}

TEST_CASE("an unknown collective names the nearest, too few rows name the set") {
  const WrittenFile file(table());
  std::vector<SampleTable> tables;
  tables.push_back(SampleTable::read(file.path()));
  FitPlan plan;
  plan.sets = {{"toy-host", "toy", 4, "ring", "all_reduc", {}, {}, "x"}};
  try {
    fit_sets(tables, plan, {});
    FAIL("no error");
  } catch (const InputError& error) {
    CHECK(error.problems()[0].message.find("\"all_reduce\"") != std::string::npos);
  }
  plan.sets = {{"toy-host", "toy", 8, "ring", "all_reduce", {}, {}, "x"}};
  try {
    fit_sets(tables, plan, {});
    FAIL("no error");
  } catch (const InputError& error) {
    CHECK(error.problems()[0].code == "too-few-samples");
    CHECK(error.problems()[0].message.find("all_reduce, toy-host, ring, 8 ranks") !=
          std::string::npos);
  }
}

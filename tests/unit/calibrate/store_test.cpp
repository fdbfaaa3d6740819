#include "gpucap/calibrate/store.hpp"

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::calibrate;

namespace {

FittedFile toy_file() {
  FittedFile file;
  file.gpu.id = "toy";
  file.gpu.dense_peak[Dtype::bf16] = 362.05 * unit::TFLOP_per_s;
  file.gpu.memory_bandwidth = 864 * unit::GB_per_s;
  FittedPart part;
  part.part = "gemm";
  part.source = "a stopwatch";
  part.coefficients = {{"ec", "ec", "", 0.55871, true, 0.001234, false, "fitted"},
                       {"t0", "t0_us", "us", 6.4182, false, 0, false, "held: as read"},
                       {"gone", "gone", "", 0, false, 0, true, "no such term"}};
  part.points = 12;
  part.held_out = {"", 3, 0.05234, 0.18812, -0.00013, 0.0312};
  part.refused["rate above peak + 2 %"] = 2;
  part.cold_from = 40 * unit::MiB;
  part.points_used = "all launches";
  part.tables = {"toy.csv"};
  file.parts = {part};
  return file;
}

}  // namespace

TEST_CASE("a fit file holds four digits, units, errors, refusals and why a value is held") {
  CHECK(fit_json(toy_file()) == R"({
  "card": "toy",
  "fitted_with": {
    "peak": "362.05 TFLOP/s",
    "bandwidth": "864 GB/s"
  },
  "gemm": {
    "ec": 0.5587,
    "t0": "6.418 us",
    "source": "a stopwatch",
    "cold_from": "40 MiB",
    "fit": {
      "points": 12,
      "held_out": {
        "points": 3,
        "median_error": 0.0523,
        "p95_error": 0.188,
        "bias": -0.00013,
        "spread": 0.031
      },
      "parameters": ["ec"],
      "standard_errors": [0.0012],
      "correlation_below_diagonal": [],
      "refused": {
        "rate above peak + 2 %": 2
      },
      "points_used": "all launches",
      "tables": ["toy.csv"]
    },
    "notes": "t0 held: as read"
  }
}
)");
}

TEST_CASE("a file of collectives keeps one set a line, limits in the unit that is exact") {
  FittedSets sets;
  FittedSet set;
  set.plan.host = "toy-host", set.plan.card = "toy", set.plan.implementation = "ring";
  set.plan.collective = "alltoall", set.plan.source = "a stopwatch";
  set.pieces = {{256 * unit::KiB, 8 * unit::us, 40 * unit::GB_per_s, 1.25},
                {1.515 * unit::MB, 9 * unit::us, 50 * unit::GB_per_s, 1},
                {std::nullopt, 30 * unit::us, 200 * unit::GB_per_s, 1}};
  set.points = 16;
  set.held_out = {"", 4, 0.01, 0.02, 0.001, 0.012};
  sets.sets = {set};
  const std::string text = collectives_json(sets);
  CHECK(text.find(
            "    {\"collective\": \"all_to_all\", \"host\": \"toy-host\", \"card\": \"toy\", "
            "\"ranks\": 2, "
            "\"implementation\": \"ring\", \"pieces\": [{\"below\": \"256 KiB\", \"alpha\": \"8 "
            "us\", "
            "\"busbw\": \"40 GB/s\", \"q\": 1.25}, {\"below\": \"1.515 MB\", \"alpha\": \"9 us\", "
            "\"busbw\": \"50 GB/s\", \"q\": 1.0}, {\"alpha\": \"30 us\", \"busbw\": \"200 GB/s\", "
            "\"q\": 1.0}], \"source\": \"a stopwatch\", \"fit\": {\"points\": 16, \"held_out\": "
            "{\"points\": 4, \"median_error\": 0.01, \"p95_error\": 0.02, \"bias\": 0.001, "
            "\"spread\": "
            "0.012}}}") != std::string::npos);
}

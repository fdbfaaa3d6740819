#include "gpucap/catalog/fits.hpp"
#include "gpucap/catalog/gpus.hpp"
#include "gpucap/catalog/models.hpp"
#include "gpucap/core/statistics.hpp"
#include "gpucap/perf/kernel.hpp"
#include "gpucap/perf/layer_work.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

#include "support/catch.hpp"
#include "support/toy.hpp"

using namespace gpucap;

namespace {

const std::filesystem::path root = GPUCAP_SOURCE_DIR;

perf::ExpertFit ideal(double block_rows) {
  perf::ExpertFit fit;
  fit.product = {1, 1, 64, Seconds{}};
  fit.block_rows = block_rows;
  return fit;
}

const perf::Card card{1e9 * unit::flop / unit::s, 1 * unit::GB_per_s, 1};

}  // namespace

TEST_CASE("uniform routing touches all experts of a large batch and k of one token") {
  CHECK(perf::experts_touched({1, 64, 32, 128, 8}) == Approx(8));
  CHECK(perf::experts_touched({2, 64, 32, 128, 8}) == Approx(128 * (1 - 0.9375 * 0.9375)));
  CHECK(perf::experts_touched({4096, 64, 32, 128, 8}) == Approx(128));
}

TEST_CASE("each touched expert fills whole tiles, by hand") {
  // One token, 2 of 8 experts, tiles of 16 rows: 32 rows for 2. Arithmetic 2 x 32 x 3 x 64 x 32.
  const perf::ExpertShape one{1, 64, 32, 8, 2};
  const double rows = 32, weights = 3 * 64 * 32;
  const double compute_us = 2 * rows * weights / 1e9 * 1e6;
  CHECK(perf::routed_experts(ideal(16), card, one).time().in(unit::us) ==
        Approx(compute_us).epsilon(0.02));
  // Counted as useful are the 2 rows.
  CHECK(perf::routed_experts(ideal(16), card, one).flops.base() == Approx(2 * 2 * weights));
  // 1,000 tokens: 2,000 rows and half a tile at the end of each of 8 experts.
  const perf::ExpertShape many{1000, 64, 32, 8, 2};
  CHECK(perf::routed_experts(ideal(16), card, many).time().in(unit::us) ==
        Approx(2 * (2000 + 8 * 8) * weights / 1e9 * 1e6).epsilon(0.02));
}

TEST_CASE("more tokens never make the experts faster") {
  Seconds before;
  for (std::int64_t tokens = 1; tokens <= 4096; ++tokens) {
    const Seconds now = perf::routed_experts(ideal(16), card, {tokens, 64, 32, 128, 8}).time();
    REQUIRE(now >= before);
    before = now;
  }
}

TEST_CASE("with expert parallelism a rank holds and reads its share of the experts, whole") {
  auto plan = toy::serving_plan();
  auto& model = plan.question.model;
  model.experts = models::Experts{8, 2, 0, 128, 0, 0, 0, false, false};
  model.ffn = 0;
  const auto format = *models::weight_format(model, "bf16");
  const auto stage = models::pipeline_stages(model, 1).front();
  // 8 experts over 4 ranks: 2 whole ones, or a quarter of the columns of 8: the same bytes.
  CHECK(models::weight_bytes_on_stage(model, format, 4, stage, true) ==
        models::weight_bytes_on_stage(model, format, 4, stage, false));
  CHECK(models::tensor_parallel_problem(model, 16, true).has_value());
  perf::ExpertShape whole{16, 64, 128, 8, 2};
  perf::ExpertShape dealt = whole;
  dealt.share = 0.25;
  CHECK(perf::experts_touched(dealt) * 4 == Approx(perf::experts_touched(whole)));
  CHECK(perf::routed_experts(ideal(1), card, dealt).flops * 4 ==
        perf::routed_experts(ideal(1), card, whole).flops);
}

TEST_CASE("the held-out error stated for fused experts is what the table gives") {
  const auto path = root / "../shared/data/measured/operators/moe_pro6000.csv";
  if (!std::filesystem::exists(path)) {
    std::cout << "skipped: no moe_pro6000.csv beside the repository\n";
    return;
  }
  const auto book = catalog::load_gpus(root);
  const hardware::Gpu& gpu = *book.find("rtx-pro-6000-server");
  const auto fits = catalog::load_calibration(root, gpu);
  REQUIRE(fits.experts);
  const perf::Card ceilings{gpu.peak(Dtype::bf16), gpu.memory_bandwidth, gpu.sm_count};
  struct Row {
    std::int64_t tokens;
    double touched;
    Seconds time;
  };
  std::vector<Row> rows;
  std::set<std::int64_t> sizes;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::string name, tokens, touched, time;
    std::istringstream cells(line);
    std::getline(cells, name, ',');
    if (name != "RTX-PRO-6000") continue;
    std::getline(cells, tokens, ',');
    std::getline(cells, touched, ',');
    std::getline(cells, time, ',');
    rows.push_back({std::stoll(tokens), std::stod(touched), std::stod(time) * unit::us});
    sizes.insert(rows.back().tokens);
  }
  std::vector<double> errors;
  for (const Row& row : rows) {
    const bool cold = row.touched * 3 * 2048 * 768 * 2 >= 128 * 1024 * 1024;
    const bool held = std::distance(sizes.begin(), sizes.find(row.tokens)) % 5 == 4;
    if (!cold || !held) continue;
    const perf::ExpertShape shape{row.tokens, 2048, 768, 128, 8};
    const Seconds predicted =
        perf::routed_experts(*fits.experts, ceilings, shape, row.touched).time();
    errors.push_back(std::fabs(predicted / row.time - 1));
  }
  std::sort(errors.begin(), errors.end());
  const perf::FitQuality& stated = *fits.experts->origin.quality;
  CHECK(static_cast<std::int64_t>(errors.size()) == stated.held_out_points);
  CHECK(nearest_rank(errors, 50) == Approx(stated.median_error).margin(0.0006));
  CHECK(nearest_rank(errors, 95) == Approx(stated.p95_error).margin(0.0006));
}

#include "gpucap/catalog/fits.hpp"
#include "gpucap/catalog/gpus.hpp"
#include "gpucap/catalog/json_document.hpp"
#include "gpucap/core/statistics.hpp"
#include "gpucap/perf/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "support/catch.hpp"

using namespace gpucap;

namespace {

struct Launch {
  std::int64_t m = 0, n = 0, k = 0;
  Seconds time;

  [[nodiscard]] Flops flops() const { return 2.0 * static_cast<double>(m * n * k) * unit::flop; }
  [[nodiscard]] Bytes bytes() const {
    return 2.0 * static_cast<double>(m * k + n * k + m * n) * unit::byte;
  }
};

/// Rows of a table gpu,dtype,m,n,k,time_us,... that begin with `start`.
std::vector<Launch> launches(const std::filesystem::path& table, const std::string& start) {
  std::vector<Launch> rows;
  std::ifstream file(table);
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, start.size() + 1, start + ",") != 0) continue;
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; cells.size() < 6 && std::getline(stream, cell, ',');) {
      cells.push_back(cell);
    }
    rows.push_back({std::stoll(cells[2]), std::stoll(cells[3]), std::stoll(cells[4]),
                    std::stod(cells[5]) * unit::us});
  }
  return rows;
}

/// Every fifth group is held out: (n, k), or m where there are fewer than ten of those.
std::vector<Launch> held_out(const std::vector<Launch>& rows) {
  std::set<std::pair<std::int64_t, std::int64_t>> shapes, sizes;
  for (const Launch& row : rows) {
    shapes.insert({row.n, row.k});
    sizes.insert({row.m, 0});
  }
  const bool by_shape = shapes.size() >= 10;
  const auto& groups = by_shape ? shapes : sizes;
  std::vector<Launch> held;
  for (const Launch& row : rows) {
    const auto group = by_shape ? std::pair{row.n, row.k} : std::pair{row.m, std::int64_t{0}};
    if (std::distance(groups.begin(), groups.find(group)) % 5 == 4) held.push_back(row);
  }
  return held;
}

Bytes cold_from(const std::filesystem::path& data_dir, const std::string& fit) {
  catalog::JsonDocument document =
      catalog::JsonDocument::read((data_dir / "calibration/fits" / (fit + ".json")).string());
  catalog::ObjectReader root(document);
  return *root.object("gemm")->quantity("cold_from", parse_bytes);
}

std::vector<double> sorted_errors(const perf::Calibration& fits, const hardware::Gpu& gpu,
                                  const std::vector<Launch>& rows, Bytes cold) {
  const perf::Card card{gpu.peak(Dtype::bf16), gpu.memory_bandwidth, gpu.sm_count,
                        fits.sustained.share};
  std::vector<double> errors;
  for (const Launch& row : rows) {
    if (row.bytes() < cold || row.flops() / row.time > 1.02 * card.peak) continue;
    if (row.bytes() / row.time > 1.02 * card.bandwidth) continue;  // not from memory alone
    const Seconds predicted = perf::gemm(fits.gemm, card, {row.m, row.n, row.k}).time();
    errors.push_back(std::fabs(predicted / row.time - 1));
  }
  std::sort(errors.begin(), errors.end());
  return errors;
}

void check_stated_error(const std::string& id, const std::string& table, const std::string& name) {
  const std::filesystem::path root = GPUCAP_SOURCE_DIR;
  const auto path = root / "../shared/data/measured/operators" / table;
  if (!std::filesystem::exists(path)) {
    std::cout << "skipped: no " << table << " beside the repository\n";
    return;
  }
  const hardware::Gpu gpu = *catalog::load_gpus(root).find(id);
  const perf::Calibration fits = catalog::load_calibration(root, gpu);
  const auto errors =
      sorted_errors(fits, gpu, held_out(launches(path, name)), cold_from(root, id + "-gemm"));
  const perf::FitQuality& stated = *fits.gemm_origin.quality;
  CHECK(static_cast<std::int64_t>(errors.size()) == stated.held_out_points);
  // Three digits are stated.
  CHECK(nearest_rank(errors, 50) == Approx(stated.median_error).epsilon(0.006));
  CHECK(nearest_rank(errors, 95) == Approx(stated.p95_error).epsilon(0.006));
}

struct Format {
  const char* card;
  const char* rows;  ///< card and format as the table has them
  models::ProductKernels kernels;
  Dtype arithmetic;
  double weight_bytes;
};

void check_stated_error(const Format& format, const std::filesystem::path& table) {
  const std::filesystem::path root = GPUCAP_SOURCE_DIR;
  const hardware::Gpu gpu = *catalog::load_gpus(root).find(format.card);
  const auto fits = catalog::load_calibration(root, gpu);
  const auto& fit = fits.formats.at(format.kernels);
  const perf::Card card{gpu.peak(format.arithmetic), gpu.memory_bandwidth, gpu.sm_count};
  const auto cold =
      cold_from(root, std::string(format.card) + "-gemm-" + std::string(name(format.kernels)));
  std::vector<double> errors;
  for (const Launch& row : held_out(launches(table, format.rows))) {
    const auto weights = format.weight_bytes * static_cast<double>(row.n * row.k);
    const Bytes bytes = (weights + 2.0 * static_cast<double>(row.m * (row.n + row.k))) * unit::byte;
    const bool real =
        row.flops() / row.time <= 1.02 * card.peak && bytes / row.time <= 1.02 * card.bandwidth;
    if (bytes < cold || !real) continue;
    const auto predicted =
        perf::quantised_gemm(fit, card, {row.m, row.n, row.k, format.weight_bytes, 2}).time();
    errors.push_back(std::fabs(predicted / row.time - 1));
  }
  std::sort(errors.begin(), errors.end());
  const perf::FitQuality& stated = *fit.origin.quality;
  INFO(format.rows);
  CHECK(static_cast<std::int64_t>(errors.size()) == stated.held_out_points);
  // The coefficients of these files have three or four digits.
  CHECK(nearest_rank(errors, 50) == Approx(stated.median_error).epsilon(0.02));
  CHECK(nearest_rank(errors, 95) == Approx(stated.p95_error).epsilon(0.02));
}

}  // namespace

TEST_CASE("the held-out errors stated for quantised products are what their table gives") {
  const auto table = std::filesystem::path(GPUCAP_SOURCE_DIR) /
                     "../shared/data/measured/operators/gemm_quantized_measured.csv";
  if (!std::filesystem::exists(table)) {
    std::cout << "skipped: no gemm_quantized_measured.csv beside the repository\n";
    return;
  }
  using Kernels = models::ProductKernels;
  for (const Format& format : {
           Format{"a100-sxm-80gb", "A100-SXM4-80GB,int4_wo", Kernels::int4_weight_only, Dtype::bf16,
                  0.5},
           Format{"a100-sxm-80gb", "A100-SXM4-80GB,int8_wo", Kernels::int8_weight_only, Dtype::bf16,
                  1},
           Format{"a100-sxm-80gb", "A100-SXM4-80GB,sq", Kernels::int8_w8a8, Dtype::int8, 1},
           Format{"h100-sxm-80gb", "H100-SXM5-80GB,fp8", Kernels::fp8, Dtype::fp8, 1},
           Format{"h100-sxm-80gb", "H100-SXM5-80GB,fp8_block", Kernels::fp8_block, Dtype::fp8, 1},
           Format{"h200-sxm", "H200-SXM,fp8", Kernels::fp8, Dtype::fp8, 1},
           Format{"h200-sxm", "H200-SXM,int4_wo", Kernels::int4_weight_only, Dtype::bf16, 0.5},
           Format{"l40s", "L40S,fp8", Kernels::fp8, Dtype::fp8, 1},
           Format{"l40s", "L40S,int4_wo", Kernels::int4_weight_only, Dtype::bf16, 0.5},
       }) {
    check_stated_error(format, table);
  }
}

TEST_CASE("the held-out error stated for products on an RTX 4090 is what its table gives") {
  check_stated_error("rtx-4090", "gemm_in_model_measured.csv", "RTX4090");
}

TEST_CASE("the held-out error stated for products on an A100 is what its table gives") {
  check_stated_error("a100-sxm-80gb", "gemm_measured.csv", "A100-SXM4-80GB");
}

TEST_CASE("the held-out error stated for products on an L40S is what its table gives") {
  check_stated_error("l40s", "gemm_measured.csv", "L40S");
}

TEST_CASE("the held-out error stated for products on an H100 is what its table gives") {
  check_stated_error("h100-sxm-80gb", "gemm_measured.csv", "H100-SXM5-80GB");
}

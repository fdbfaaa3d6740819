// The errors that the attention fits state, recomputed from the tables where these are at hand.
#include "gpucap/catalog/fits.hpp"
#include "gpucap/catalog/gpus.hpp"
#include "gpucap/core/statistics.hpp"
#include "gpucap/perf/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <tuple>

#include "support/catch.hpp"

using namespace gpucap;

namespace {

/// `batch` equal sequences in one launch.
struct Launch {
  std::int64_t batch = 0, q = 0, kv = 0, heads = 0, kv_heads = 0, head_dim = 0;
  Seconds time;

  [[nodiscard]] perf::AttentionShape shape() const {
    const auto kv_bytes = static_cast<double>(4 * kv_heads * head_dim);
    return {heads, kv_heads, head_dim, head_dim, kv_bytes};
  }
  [[nodiscard]] Bytes kv_bytes() const {
    return static_cast<double>(batch * kv) * shape().kv_bytes_per_token * unit::byte;
  }
};

/// What selects the rows of a table gpu,phase,kernel,batch,q,kv,heads,kv_heads,head_dim,time.
using Key = std::string;

std::vector<Launch> launches(const std::filesystem::path& table, const Key& key) {
  std::vector<Launch> rows;
  std::ifstream file(table);
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, key.size() + 1, key + ",") != 0) continue;
    std::istringstream stream(line.substr(key.size() + 1));
    std::vector<double> cells;
    for (std::string cell; cells.size() < 7 && std::getline(stream, cell, ',');) {
      cells.push_back(std::stod(cell));
    }
    const auto whole = [&](std::size_t i) { return static_cast<std::int64_t>(cells[i]); };
    rows.push_back(
        {whole(0), whole(1), whole(2), whole(3), whole(4), whole(5), cells[6] * unit::us});
  }
  return rows;
}

/// Every fifth (heads, kv_heads, head_dim), or every fifth kv where there are fewer than ten.
std::vector<Launch> held_out(const std::vector<Launch>& rows) {
  using Group = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  const auto heads = [](const Launch& row) { return Group{row.heads, row.kv_heads, row.head_dim}; };
  const auto length = [](const Launch& row) { return Group{row.kv, 0, 0}; };
  std::set<Group> layouts, lengths;
  for (const Launch& row : rows) {
    layouts.insert(heads(row));
    lengths.insert(length(row));
  }
  const bool by_heads = layouts.size() >= 10;
  const auto& groups = by_heads ? layouts : lengths;
  std::vector<Launch> held;
  for (const Launch& row : rows) {
    const auto place = groups.find(by_heads ? heads(row) : length(row));
    if (std::distance(groups.begin(), place) % 5 == 4) held.push_back(row);
  }
  return held;
}

Seconds prefill(const perf::Calibration& fits, const perf::Card& card, const Launch& row) {
  const std::vector<perf::Chunk> chunks(static_cast<std::size_t>(row.batch), {row.q, row.kv});
  return perf::prefill_attention(fits.prefill, card, row.shape(), chunks).time();
}

Seconds decode(const perf::Calibration& fits, const perf::Card& card, const Launch& row) {
  const auto cost = perf::decode_attention(fits.decode, card, row.shape(), row.batch);
  return cost.fixed + cost.per_sum_token * static_cast<double>(row.batch * row.kv) +
         cost.per_max_token * static_cast<double>(row.kv);
}

void check_stated(std::vector<double> errors, const perf::FitQuality& stated) {
  std::sort(errors.begin(), errors.end());
  CHECK(static_cast<std::int64_t>(errors.size()) == stated.held_out_points);
  // Three digits are stated.
  CHECK(nearest_rank(errors, 50) == Approx(stated.median_error).epsilon(0.01));
  CHECK(nearest_rank(errors, 95) == Approx(stated.p95_error).epsilon(0.01));
}

using Kernel = Seconds (*)(const perf::Calibration&, const perf::Card&, const Launch&);

/// Launches whose KV is smaller than `cold` are left out.
void check_errors(const std::string& id, const Key& key, Kernel kernel, Bytes cold,
                  const perf::FitOrigin perf::Calibration::*origin) {
  const std::filesystem::path root = GPUCAP_SOURCE_DIR;
  const auto path = root / "../shared/data/measured/operators/attention_measured.csv";
  if (!std::filesystem::exists(path)) {
    std::cout << "skipped: no attention_measured.csv beside the repository\n";
    return;
  }
  const hardware::Gpu gpu = *catalog::load_gpus(root).find(id);
  const perf::Calibration fits = catalog::load_calibration(root, gpu);
  const perf::Card card{gpu.peak(Dtype::bf16), gpu.memory_bandwidth, gpu.sm_count,
                        fits.sustained.share};
  std::vector<double> errors;
  for (const Launch& row : held_out(launches(path, key))) {
    if (row.kv_bytes() < cold) continue;
    // Refused: such a KV cannot have been read from memory.
    if (cold > Bytes{} && row.kv_bytes() / row.time > 1.02 * card.bandwidth) continue;
    errors.push_back(std::fabs(kernel(fits, card, row) / row.time - 1));
  }
  check_stated(errors, *(fits.*origin).quality);
}

}  // namespace

TEST_CASE("the held-out error stated for prefill on an RTX 4090 is what its table gives") {
  check_errors("rtx-4090", "RTX4090,prefill,vllm0.19", prefill, Bytes{},
               &perf::Calibration::prefill_origin);
}

TEST_CASE("the held-out error stated for prefill on an A100 is what its table gives") {
  check_errors("a100-sxm-80gb", "A100-SXM4-80GB,prefill,vllm", prefill, Bytes{},
               &perf::Calibration::prefill_origin);
}

TEST_CASE("the held-out error stated for packed prefill on an H100 is what its table gives") {
  check_errors("h100-sxm-80gb", "H100-SXM5-80GB,prefill,vllm", prefill, Bytes{},
               &perf::Calibration::prefill_origin);
}

TEST_CASE("the held-out error stated for decode on an H100 is what its table gives") {
  check_errors("h100-sxm-80gb", "H100-SXM5-80GB,decode,vllm", decode, 50 * unit::MiB,
               &perf::Calibration::decode_origin);
}

TEST_CASE("the held-out error stated for decode on an L40S is what its table gives") {
  check_errors("l40s", "L40S,decode,vllm", decode, 96 * unit::MB,
               &perf::Calibration::decode_origin);
}

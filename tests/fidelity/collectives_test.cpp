// Exchanges between cards against what was measured: the fitted sets on the sizes that they have
// not seen, and the interconnect graph alone, as if no set existed.
#include "gpucap/catalog/fits.hpp"
#include "gpucap/catalog/hosts.hpp"
#include "gpucap/perf/kernel.hpp"
#include "gpucap/plan/collective.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <tuple>

#include "shared_data.hpp"
#include "support/catch.hpp"
#include <fmt/format.h>

using namespace gpucap;
using hardware::Collective;

namespace {

struct Sample {
  double bytes = 0, us = 0;
};
/// Host, number of ranks, collective, implementation.
using SetKey = std::tuple<std::string, int, Collective, std::string>;

const std::map<std::string, std::string>& host_of_card() {
  static const std::map<std::string, std::string> hosts = {
      {"A100-SXM4-80GB", "hgx-a100"},
      {"H100-SXM5-80GB", "hgx-h100"},
      {"H200-SXM", "hgx-h200"},
      {"L40S", "l40s-server"},
      {"RTX-PRO-6000-Blackwell-Server", "pcie5-p2p"}};
  return hosts;
}

const std::map<std::string, Collective>& collective_of_word() {
  static const std::map<std::string, Collective> words = {
      {"all_reduce", Collective::all_reduce},
      {"all_gather", Collective::all_gather},
      {"reduce_scatter", Collective::reduce_scatter},
      {"alltoall", Collective::all_to_all}};
  return words;
}

/// "nccl-tests 2.29.2" -> "nccl-2.29.2"; "vllm 0.19.0 vLLM_custom_graph" -> "vllm-0.19"; else
/// empty.
std::string implementation(const std::string& text) {
  std::istringstream words(text);
  std::string family, version, mode;
  words >> family >> version >> mode;
  if (family == "nccl-tests") return "nccl-" + version;
  if (family != "vllm" || mode != "vLLM_custom_graph") return "";
  return "vllm-" + version.substr(0, version.rfind('.'));
}

std::map<SetKey, std::vector<Sample>> read_samples(const std::filesystem::path& path) {
  std::map<SetKey, std::vector<Sample>> sets;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#') || line.starts_with("gpu,")) continue;
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    if (cells.size() < 8 || cells[7] != "aiconfigurator") continue;
    const auto host = host_of_card().find(cells[0]);
    const auto kind = collective_of_word().find(cells[3]);
    const std::string made_by = implementation(cells[2]);
    if (host == host_of_card().end() || kind == collective_of_word().end() || made_by.empty()) {
      continue;
    }
    sets[{host->second, std::stoi(cells[4]), kind->second, made_by}].push_back(
        {std::stod(cells[5]), std::stod(cells[6])});
  }
  for (auto& [key, samples] : sets) {
    std::sort(samples.begin(), samples.end(),
              [](const Sample& a, const Sample& b) { return a.bytes < b.bytes; });
  }
  return sets;
}

Seconds time_of(const perf::CollectiveFit& fit, double payload) {
  const Bytes bytes = payload * unit::byte;
  switch (fit.collective) {
    case Collective::all_reduce:
      return perf::all_reduce(fit, bytes).time();
    case Collective::all_gather:
      return perf::all_gather(fit, bytes).time();
    case Collective::reduce_scatter:
      return perf::reduce_scatter(fit, bytes).time();
    case Collective::all_to_all:
      return perf::all_to_all(fit, bytes).time();
    case Collective::send_recv:
      break;
  }
  return perf::send_recv(fit, bytes).time();
}

double error_of(const perf::CollectiveFit& fit, const Sample& sample) {
  return std::abs(time_of(fit, sample.bytes).in(unit::us) / sample.us - 1);
}

double rank(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const auto at = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(at, 1) - 1];
}

std::optional<std::filesystem::path> measured() {
  return test::shared_data("measured/operators/collectives_measured.csv");
}

}  // namespace

TEST_CASE("measured sets hold on every fifth size, which they have not seen") {
  const auto path = measured();
  if (!path) return;
  const auto calibration = catalog::load_collectives(GPUCAP_SOURCE_DIR);
  std::map<Collective, std::vector<double>> errors;
  for (const auto& [key, samples] : read_samples(*path)) {
    for (const perf::CollectiveFit& fit : calibration.collectives) {
      if (SetKey{fit.host, fit.ranks, fit.collective, fit.implementation} != key) continue;
      for (std::size_t i = 4; i < samples.size(); i += 5) {
        errors[fit.collective].push_back(error_of(fit, samples[i]));
      }
    }
  }
  for (const auto& [collective, of] : errors) {
    std::cout << fmt::format("{}: {} held-out points, median {:.1f} %, p95 {:.1f} %\n",
                             name(collective), of.size(), 100 * rank(of, 0.5),
                             100 * rank(of, 0.95));
  }
  CHECK(rank(errors.at(Collective::all_reduce), 0.5) <= 0.04);
  CHECK(rank(errors.at(Collective::all_reduce), 0.95) <= 0.16);
  CHECK(rank(errors.at(Collective::all_gather), 0.5) <= 0.05);
  CHECK(rank(errors.at(Collective::reduce_scatter), 0.5) <= 0.05);
  CHECK(rank(errors.at(Collective::all_to_all), 0.5) <= 0.07);
}

TEST_CASE("the links of a host alone foretell its collectives within a third, mostly") {
  const auto path = measured();
  if (!path) return;
  const auto book = catalog::load_hosts(GPUCAP_SOURCE_DIR);
  perf::Calibration links_only = catalog::load_collectives(GPUCAP_SOURCE_DIR);
  links_only.collectives.clear();
  std::vector<double> medians;
  for (const auto& [key, samples] : read_samples(*path)) {
    const auto& [host, ranks, collective, made_by] = key;
    if (!made_by.starts_with("nccl")) continue;
    const auto fit = plan::collective_on(links_only, *book.find(host), collective, ranks, "");
    std::vector<double> errors;
    for (const Sample& sample : samples) errors.push_back(error_of(fit, sample));
    medians.push_back(rank(errors, 0.5));
    std::cout << fmt::format("{:12} {:2} {:15} {:12} median {:3.0f} %, largest size {:3.0f} %\n",
                             host, ranks, name(collective), made_by, 100 * medians.back(),
                             100 * error_of(fit, samples.back()));
  }
  std::cout << fmt::format("median over {} sets {:.0f} %, p95 {:.0f} %\n", medians.size(),
                           100 * rank(medians, 0.5), 100 * rank(medians, 0.95));
  CHECK(rank(medians, 0.5) < 0.25);
  CHECK(rank(medians, 0.8) < 0.35);
}

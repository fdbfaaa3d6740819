// Training of convolution nets against published steps on one card: what the constants were fitted
// on, other generations of the same software, and another software that they never saw.
#include "gpucap/calibrate/conv_net_fit.hpp"
#include "gpucap/catalog/conv_nets.hpp"
#include "gpucap/catalog/fits.hpp"
#include "gpucap/catalog/gpus.hpp"
#include "gpucap/catalog/hosts.hpp"
#include "gpucap/catalog/software.hpp"
#include "gpucap/training/conv_net.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "shared_data.hpp"
#include "support/catch.hpp"
#include <fmt/format.h>

using namespace gpucap;

namespace {

const std::filesystem::path shipped = GPUCAP_SOURCE_DIR;

/// Cells of a line without quotes.
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> all;
  std::istringstream text(line);
  for (std::string cell; std::getline(text, cell, ',');) all.push_back(cell);
  return all;
}

/// One published run: card, precision, version of PyTorch, images/s, batch.
struct Published {
  std::string gpu, dtype;
  double version = 0, images_per_second = 0;
  std::int64_t batch = 0;
};

const std::map<std::string, std::string>& card_of_name() {
  static const std::map<std::string, std::string> cards = {
      {"A10", "a10"},
      {"A40", "a40"},
      {"A100 40GB PCIe", "a100-pcie-40gb"},
      {"A100 40GB SXM4", "a100-sxm-40gb"},
      {"A100 40GB SXM4 (AWS p4d)", "a100-sxm-40gb"},
      {"A100 80GB PCIe", "a100-pcie-80gb"},
      {"A100 80GB SXM4", "a100-sxm-80gb"},
      {"H100 80GB PCIe", "h100-pcie-80gb"},
      {"H100 80GB SXM5", "h100-sxm-80gb"},
      {"RTX 3090", "rtx-3090"},
      {"RTX 4090", "rtx-4090"},
      {"RTX 6000 Ada", "rtx-6000-ada"},
      {"RTX A6000", "rtx-a6000"}};
  return cards;
}

/// "PyTorch 1.13.0a0+d0d6b1f" -> 1.13, with two digits behind the point for order: 1.7 -> 1.07.
double version_of(const std::string& framework) {
  const auto number = framework.substr(framework.find(' ') + 1);
  const auto point = number.find('.');
  return std::stod(number.substr(0, point)) + std::stod(number.substr(point + 1)) / 100;
}

std::vector<Published> published(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  while (std::getline(in, line) && line.starts_with('#')) {
  }
  const auto head = cells(line);
  const auto at = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(head.begin(), head.end(), name) - head.begin());
  };
  std::vector<Published> runs;
  std::set<std::string> without_sheet;
  while (std::getline(in, line)) {
    const auto row = cells(line);
    if (row[at("model")] != "resnet50" || row[at("gpu_count")] != "1") continue;
    const auto card = card_of_name().find(row[at("gpu")]);
    if (card == card_of_name().end()) {
      without_sheet.insert(row[at("gpu")]);
      continue;
    }
    const auto& batch = row[at("micro_batch")];
    runs.push_back({card->second, row[at("dtype")], version_of(row[at("framework")]),
                    std::stod(row[at("throughput")]), batch.empty() ? 0 : std::stoll(batch)});
  }
  for (const auto& name : without_sheet) std::cout << "left out, no spec sheet: " << name << '\n';
  return runs;
}

std::optional<std::filesystem::path> lambda_file() {
  return test::shared_data("measured/training/lambda_pytorch_training.csv");
}

const catalog::GpuBook& cards() {
  static const auto book = catalog::load_gpus(shipped);
  return book;
}

const perf::Calibration& fits_of(const std::string& gpu) {
  static catalog::FitBook book(shipped);
  return book.of(*cards().find(gpu));
}

const models::ConvNet& net(const std::string& id) {
  static const auto nets = catalog::load_conv_nets(shipped);
  return nets.at(id);
}

calibrate::ConvNetRun run_of(const std::string& gpu, Dtype arithmetic, double images_per_second) {
  return {cards().find(gpu), &fits_of(gpu), arithmetic, images_per_second};
}

/// The median run of the newest container of each card and width.
std::vector<calibrate::ConvNetRun> newest(const std::vector<Published>& runs) {
  std::map<std::pair<std::string, std::string>, std::map<double, std::vector<double>>> by;
  for (const auto& run : runs) {
    if (run.batch > 0 && run.dtype != "FP16") {
      by[{run.gpu, run.dtype}][run.version].push_back(run.images_per_second);
    }
  }
  std::vector<calibrate::ConvNetRun> chosen;
  for (auto& [key, versions] : by) {
    auto& speeds = versions.rbegin()->second;
    std::sort(speeds.begin(), speeds.end());
    const double middle = (speeds[(speeds.size() - 1) / 2] + speeds[speeds.size() / 2]) / 2;
    chosen.push_back(run_of(key.first, key.second == "AMP" ? Dtype::fp16 : Dtype::tf32, middle));
  }
  return chosen;
}

struct MedianAndWorst {
  double median = 0, worst = 0;
};
MedianAndWorst of(std::vector<double> errors) {
  for (double& error : errors) error = std::fabs(error);
  std::sort(errors.begin(), errors.end());
  return {errors[errors.size() / 2], errors.back()};
}

training::Question question(const std::string& id, const std::string& gpu, int count,
                            const std::string& host, std::int64_t batch, Dtype arithmetic) {
  static const auto hosts = catalog::load_hosts(shipped);
  training::Question question;
  question.network = net(id);
  question.node = {*cards().find(gpu), count, *hosts.find(host)};
  question.calibration = fits_of(gpu);
  question.software = *catalog::load_software(shipped, "dl-examples");
  question.layout.data = count;
  auto& settings = question.settings;
  settings.weights = arithmetic == Dtype::fp16 ? training::Weights::amp : training::Weights::full;
  settings.arithmetic = arithmetic;
  settings.gradients = Dtype::fp32;
  settings.optimizer = training::Optimizer::sgd_momentum;
  settings.micro_batch = batch;
  return question;
}

training::StepTime step(const training::Question& question) {
  return training::conv_net_step(question, std::get<models::ConvNet>(question.network));
}

double images_per_second(const training::StepTime& step) {
  return training::samples_per_second(step).in(unit::per_s);
}

}  // namespace

TEST_CASE("the constants of convolution nets refitted are the shipped ones") {
  const auto file = lambda_file();
  if (!file) return;
  const auto runs = newest(published(*file));
  REQUIRE(runs.size() == 22);
  const auto fit = calibrate::fit_conv_net(net("resnet-50"), runs);
  const auto shipped_fit = *catalog::load_software(shipped, "dl-examples")->convolutions;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::cout << fmt::format("ResNet-50 {:15} {}: {:+.1f} %, left out {:+.1f} %\n", runs[i].gpu->id,
                             name(runs[i].arithmetic), 100 * fit.errors[i],
                             100 * fit.left_out_errors[i]);
  }
  for (const auto& [key, ends] : fit.intervals) {
    std::cout << fmt::format("{} 90 %: {:.2f} to {:.2f}\n", key, ends.first, ends.second);
  }
  const auto all = of(fit.errors), out = of(fit.left_out_errors);
  std::cout << fmt::format("fit median {:.1f} worst {:.1f} %, left out {:.1f} / {:.1f} %\n",
                           100 * all.median, 100 * all.worst, 100 * out.median, 100 * out.worst);
  CHECK(fit.constants.traffic == Approx(shipped_fit.traffic).epsilon(0.005));
  CHECK(fit.constants.cycles_narrow == Approx(shipped_fit.cycles_narrow).epsilon(0.005));
  CHECK(fit.constants.cycles_wide == Approx(shipped_fit.cycles_wide).epsilon(0.005));
  CHECK(fit.constants.relative_error == Approx(shipped_fit.relative_error).epsilon(0.01));
  CHECK(out.median < 0.04);
  CHECK(out.worst < 0.17);  // RTX 6000 Ada, 300 W: its clock under load is not the boost clock
}

TEST_CASE("older containers of the same software are slower by what a year of releases brings") {
  const auto file = lambda_file();
  if (!file) return;
  const auto constants = *catalog::load_software(shipped, "dl-examples")->convolutions;
  std::map<double, std::vector<double>> ratios;
  for (const auto& run : published(*file)) {
    const auto arithmetic = run.dtype == "FP32" ? Dtype::tf32 : Dtype::fp16;
    const auto seconds = calibrate::conv_net_time(
        constants, net("resnet-50"), run_of(run.gpu, arithmetic, run.images_per_second));
    ratios[run.version].push_back(seconds.in(unit::s)*run.images_per_second);
  }
  for (auto& [version, all] : ratios) {
    std::sort(all.begin(), all.end());
    std::cout << fmt::format(
        "PyTorch {:.2f}: {} runs, predicted / measured time {:.2f} ({:.2f} to "
        "{:.2f})\n",
        version, all.size(), all[all.size() / 2], all.front(), all.back());
    CHECK(all[all.size() / 2] > 0.75);
    CHECK(all[all.size() / 2] < 1.1);
  }
}

TEST_CASE("ResNet-50 on an RTX 4090 runs at 0.82 of an A100 80 GB; two share little") {
  const auto resnet = [](const std::string& gpu, int count, const std::string& host,
                         std::int64_t batch) {
    return step(question("resnet-50", gpu, count, host, batch, Dtype::fp16));
  };
  const double ada = images_per_second(resnet("rtx-4090", 1, "pcie4-no-p2p", 448));
  const double ampere = images_per_second(resnet("a100-sxm-80gb", 1, "hgx-a100", 1280));
  const auto two = resnet("rtx-4090", 2, "pcie4-no-p2p", 448);
  const double pair = images_per_second(two);
  std::cout << fmt::format(
      "ResNet-50 AMP: RTX 4090 {:.0f} images/s (measured 1302), A100 80 GB {:.0f} (1582), ratio "
      "{:.3f} (0.823); 2x RTX 4090 without peer-to-peer {:.0f}, {:.2f} of twice one; exchange "
      "{:.1f} ms of {:.1f}\n",
      ada, ampere, ada / ampere, pair, pair / (2 * ada), two.communication.in(unit::ms),
      two.time.in(unit::ms));
  CHECK(ada / ampere == Approx(1301.69 / 1582.44).epsilon(0.05));
  // 102 MB of fp32 gradients over 4 to 7 GB/s are 15 to 26 ms beside a step of 345 ms.
  CHECK(two.communication.in(unit::ms) > 5);
  CHECK(two.communication.in(unit::ms) < 40);
  CHECK(pair > 1.8 * ada);
}

TEST_CASE("batches of ResNet-50 that ran fit, with 65 to 95 % of the card in use") {
  struct Ran {
    const char* gpu;
    std::int64_t narrow, wide;
  };
  for (const Ran& ran :
       {Ran{"rtx-3090", 448, 224}, Ran{"rtx-4090", 448, 224}, Ran{"a10", 448, 224},
        Ran{"a100-sxm-40gb", 720, 360}, Ran{"rtx-a6000", 928, 496}, Ran{"rtx-6000-ada", 928, 496},
        Ran{"a100-sxm-80gb", 1280, 640}, Ran{"h100-sxm-80gb", 1280, 640}}) {
    for (const auto arithmetic : {Dtype::fp16, Dtype::tf32}) {
      const auto batch = arithmetic == Dtype::fp16 ? ran.narrow : ran.wide;
      const auto asked = question("resnet-50", ran.gpu, 1, "pcie4-no-p2p", batch, arithmetic);
      const auto footprint = training::training_footprint(asked);
      const Bytes visible = asked.node.gpu.memory_visible;
      const double used = (footprint.peak_allocated + asked.software.memory.context) / visible;
      std::cout << fmt::format("{} {} batch {}: {:.1f} of {:.1f} GiB\n", ran.gpu, name(arithmetic),
                               batch, footprint.peak_allocated.in(unit::GiB),
                               visible.in(unit::GiB));
      CHECK(footprint.feasible);
      CHECK(used > 0.65);
      CHECK(used < 0.95);
    }
  }
}

TEST_CASE("another software of 2021 trains three nets on A100 at a third to two thirds of this") {
  for (const auto& [id, table] : {std::pair{"resnet-50", "resnet50"}, std::pair{"vgg-16", "vgg16"},
                                  std::pair{"inception-v3", "inception3"}}) {
    const auto file =
        test::shared_data(fmt::format("traces/philly_elasticflow/throughputs_A100/{}.csv", table));
    if (!file) return;
    std::ifstream in(*file);
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
      const auto row = cells(line);
      const auto batch = std::stoll(row[0]);
      for (int i = 0; i < 4; ++i) {  // one machine: 1, 2, 4, 8 cards
        const int count = 1 << i;
        const double measured = std::stod(row[1 + i]) * static_cast<double>(batch);
        const double predicted = images_per_second(
            step(question(id, "a100-sxm-40gb", count, "hgx-a100", batch / count, Dtype::tf32)));
        std::cout << fmt::format(
            "{} batch {} on {}: measured {:.0f} images/s, predicted {:.0f}, "
            "ratio {:.2f}\n",
            id, batch, count, measured, predicted, measured / predicted);
        if (count > 1) continue;
        CHECK(measured / predicted > 0.3);
        CHECK(measured / predicted < 0.67);
      }
    }
  }
}

// Samples survive the file; what is wrong in one is located; cards are recognised.
#include "gpucap/calibrate/samples_file.hpp"

#include "gpucap/calibrate/samples_fit.hpp"
#include "gpucap/catalog/own_calibration.hpp"
#include "gpucap/core/file.hpp"

#include <filesystem>
#include <unistd.h>

#include "support/catch.hpp"

using namespace gpucap;
using namespace gpucap::measure;
namespace fs = std::filesystem;

namespace {

Sample sample_of(Work work, double us, const char* way = "wmma") {
  Sample sample;
  sample.work = work;
  sample.implementation = way;
  sample.time = us * unit::us;
  sample.fastest = 0.9 * sample.time;
  sample.slowest = 1.2 * sample.time;
  sample.batches = 7;
  sample.discarded = 2;
  sample.error = 0.00012;
  sample.power = 321.5 * unit::W;
  return sample;
}

const std::vector<Work>& every_kind() {
  static const std::vector<Work> works = {Stream{Stream::Kind::copy, 1 * unit::MiB},
                                          Stream{Stream::Kind::triad, 2 * unit::MiB},
                                          Product{Dtype::fp16, Dtype::fp16, 3, 4, 5},
                                          Attention{32, 8, 128, 4, 1, 99},
                                          Pass{Pass::Kind::rms_norm, 6, 7},
                                          Pass{Pass::Kind::rope, 6, 7},
                                          Pass{Pass::Kind::silu_mul, 6, 7},
                                          Launch{false, 20},
                                          Launch{true, 20},
                                          Transfer{Transfer::Kind::host_to_device, 1 * unit::KiB},
                                          Transfer{Transfer::Kind::device_to_host, 1 * unit::KiB},
                                          Transfer{Transfer::Kind::peer, 1 * unit::KiB},
                                          Transfer{Transfer::Kind::staged, 1 * unit::KiB},
                                          AllReduce{4, 1 * unit::KiB}};
  return works;
}

Samples some() {
  Samples samples;
  samples.device = {"cuda", "NVIDIA H200",   "580.1",        "13.0",          "9.0",
                    132,    140 * unit::GiB, 50 * unit::MiB, 1980 * unit::MHz};
  samples.before.temperature_c = 31;
  samples.after.throttled = "power cap";
  samples.date = "2026-12-01";
  samples.version = "0.1.0";
  samples.elapsed = 12.5 * unit::s;
  for (const Work& work : every_kind()) samples.samples.push_back(sample_of(work, 10));
  samples.skipped.push_back({every_kind()[2], "cublaslt", "not there"});
  return samples;
}

/// Written to a file of this process and read again.
Samples through_a_file(const std::string& text) {
  const fs::path path =
      fs::temp_directory_path() / ("gpucap-samples-" + std::to_string(getpid()) + ".json");
  write_file(path, text);
  try {
    Samples samples = calibrate::read_samples(path);
    fs::remove(path);
    return samples;
  } catch (...) {
    fs::remove(path);
    throw;
  }
}

std::string fault_of(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  try {
    through_a_file(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("samples of every kind come back from their file as they were") {
  const Samples before = some(), after = through_a_file(calibrate::samples_json(before));
  REQUIRE(after.samples.size() == before.samples.size());
  for (std::size_t i = 0; i < before.samples.size(); ++i) {
    CHECK(after.samples[i].work == before.samples[i].work);
    CHECK(after.samples[i].slowest.in(unit::us) == Approx(12));
    CHECK(after.samples[i].power->in(unit::W) == Approx(321.5));
  }
  CHECK(after.device.largest_clock->in(unit::MHz) == Approx(1980));
  CHECK(after.skipped[0].reason == "not there");
  CHECK(calibrate::samples_json(after) == calibrate::samples_json(before));
}

TEST_CASE("a run that was ended says by what") {
  Samples ended = some();
  ended.complete = false;
  ended.ended_by = "interrupt";
  CHECK(through_a_file(calibrate::samples_json(ended)).ended_by == "interrupt");
}

TEST_CASE("faults of a samples file are located") {
  const std::string text = calibrate::samples_json(some());
  CHECK(has(fault_of(text, "\"rms_norm\"", "\"rms_nrom\""), "did you mean \"rms_norm\""));
  CHECK(has(fault_of(text, "\"kv_heads\": 8", "\"kv_heads\": 7"), "32 heads cannot share 7"));
  CHECK(has(fault_of(text, "\"m\": 3", "\"m\": 0"), "/samples/2/m: 0 is no size"));
  CHECK(has(fault_of(text, "\"fastest_us\": 9.0", "\"fastest_us\": 90.0"), "/samples/0/time_us"));
  CHECK(has(fault_of(text, "gpucap-samples/1", "gpucap-samples/2"), "/format"));
  CHECK(has(fault_of(text, "2026-12-01", "yesterday"), "is no date"));
  CHECK(has(fault_of(text, "\"q\": 1", "\"q\": 100"), "more new tokens"));
}

TEST_CASE("of two ways to one product the faster is the sample of a fit") {
  Samples samples = some();
  samples.samples = {sample_of(Product{Dtype::bf16, Dtype::fp32, 16, 64, 32}, 9, "wmma"),
                     sample_of(Product{Dtype::bf16, Dtype::fp32, 16, 64, 32}, 6, "cublaslt"),
                     sample_of(Product{Dtype::fp16, Dtype::fp32, 16, 64, 32}, 5, "wmma")};
  auto tables = calibrate::tables_of(samples, "s.json");
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].rows() == 1);
  CHECK(tables[0].number(0, "time_us") == Approx(6));
  CHECK(tables[0].number(0, "weight_bytes") == 2);
}

TEST_CASE("a card is recognised by chip, memory and name, and by nothing less") {
  const auto gpus = catalog::load_gpus(GPUCAP_SOURCE_DIR);
  const auto named = [&](const char* id, const char* name) {
    const hardware::Gpu& gpu = *gpus.find(id);
    DeviceFacts facts;
    facts.kind = "cuda";
    facts.name = name;
    facts.compute_capability = gpu.compute_capability;
    facts.processors = gpu.sm_count;
    facts.memory = 0.99 * gpu.memory_visible;
    return facts;
  };
  const std::pair<const char*, const char*> cards[] = {
      {"rtx-4090", "NVIDIA GeForce RTX 4090"},
      {"a100-sxm-80gb", "NVIDIA A100-SXM4-80GB"},
      {"a100-pcie-40gb", "NVIDIA A100-PCIE-40GB"},
      {"h100-sxm-80gb", "NVIDIA H100 80GB HBM3"},
      {"h200-sxm", "NVIDIA H200"},
      {"l40s", "NVIDIA L40S"},
      {"rtx-6000-ada", "NVIDIA RTX 6000 Ada Generation"},
      {"rtx-a6000", "NVIDIA RTX A6000"}};
  for (const auto& [id, name] : cards) {
    CHECK(calibrate::card_of(named(id, name), gpus, "").id == id);
  }
  const DeviceFacts facts = named("rtx-4090", "NVIDIA GeForce RTX 4090");
  CHECK(calibrate::card_of(facts, gpus, "RTX-4090").id == "rtx-4090");
  CHECK_THROWS_AS(calibrate::card_of(facts, gpus, "rtx-3090"), InputError);
  CHECK_THROWS_AS(calibrate::card_of(facts, gpus, "rtx-4900"), InputError);
  DeviceFacts unknown = facts;
  unknown.processors = 5;
  CHECK_THROWS_AS(calibrate::card_of(unknown, gpus, ""), InputError);
}

#include "gpucap/catalog/own_calibration.hpp"

#include "gpucap/core/sha256.hpp"

#include "fit_formats.hpp"
#include "fit_parts.hpp"
#include <fmt/format.h>

namespace gpucap::catalog {
namespace {

void read_head(FitFile& file, OwnCalibration& own) {
  ObjectReader& root = file.root();
  root.required("format", root.choice<int>("format", "format", {{"gpucap-calibration/1", 1}}));
  auto head = file.part("measured_on");
  own.measured_on.name = head.text("name").value_or("");
  own.measured_on.driver = head.text("driver").value_or("");
  own.measured_on.method = head.required("method", head.text("method"));
  if (const auto day = head.text("date")) {
    own.measured_on.date = pricing::Date::parse(*day);
    if (!own.measured_on.date) {
      head.problem("date", fmt::format("\"{}\" is no date such as 2026-08-22", *day), "wrong-date");
    }
  }
  for (const char* said : {"clock", "memory_clock", "temperature", "runtime", "version"}) {
    head.text(said);  // for people
  }
  head.finish();
}

template <class Part>
auto part_of(FitFile& file, std::string_view key, Part (*read)(FitFile&)) {
  const bool there =
      file.root().raw(key) != nullptr;  // asked for, so that a slip is told what it is near
  return there ? std::optional<Part>(read(file)) : std::nullopt;
}

OwnCalibration::Engine read_engine_host(FitFile& file) {
  ObjectReader part = file.part("engine");
  OwnCalibration::Engine engine;
  engine.id = part.required("id", part.text("id"));
  engine.host.gap = duration(part, "gap");
  engine.host.gap_per_sequence = duration(part, "gap_per_sequence");
  engine.host.floor_per_layer = duration(part, "floor_per_layer");
  engine.host.per_sequence = duration(part, "per_sequence");
  engine.host.front_end = duration(part, "front_end");
  engine.host.measured = true;
  engine.source = part.required("source", part.text("source"));
  part.texts("identified");
  part.finish();
  return engine;
}

perf::Calibration::Power read_own_power(FitFile& file) {
  ObjectReader part = file.part("power");
  perf::Calibration::Power power;
  power.active_floor = fraction(part, "active_floor");
  power.compute = fraction(part, "compute");
  power.memory = fraction(part, "memory");
  power.assumed = false;
  power.origin.file = file.name();
  power.origin.source = part.required("source", part.text("source"));
  power.origin.transfer_spread = positive(part, "spread");
  part.finish();
  return power;
}

void read_parts(FitFile& file, OwnCalibration& own) {
  own.gemm = part_of(file, "gemm", gemm_part);
  own.prefill = part_of(file, "prefill", prefill_part);
  own.decode = part_of(file, "decode", decode_part);
  if (const auto mixed = part_of(file, "mixed", mixed_part)) own.mixed = *mixed;
  own.elementwise = part_of(file, "elementwise", elementwise_part);
  own.sampler = part_of(file, "sampler", sampler_part);
  if (file.root().has("gguf")) own.gguf = format_part(file, "gguf");
  own.power = part_of(file, "power", read_own_power);
  own.engine = part_of(file, "engine", read_engine_host);
}

const hardware::Gpu& card_of(JsonDocument& document,
                             const std::function<const hardware::Gpu*(const std::string&)>& find) {
  ObjectReader root(document);
  const std::string card = root.required("card", root.text("card"));
  const hardware::Gpu* gpu = root.has("card") ? find(card) : nullptr;
  if (gpu == nullptr && root.has("card")) {
    root.problem("card", fmt::format("unknown GPU \"{}\"", card), "unknown-name");
  }
  document.throw_if_problems();
  return *gpu;
}

/// Replaces what stands where the file has its own.
template <class Fit>
void put(const std::optional<FitPart<Fit>>& own, Fit& fit, perf::FitOrigin& origin) {
  if (!own) return;
  fit = own->fit;
  origin = own->origin;
}

}  // namespace

OwnCalibration read_own_calibration(
    JsonDocument document, const std::function<const hardware::Gpu*(const std::string&)>& find) {
  const hardware::Gpu& gpu = card_of(document, find);
  OwnCalibration own;
  own.file = document.file();
  own.sha256 = sha256_hex(document.text());
  own.card = gpu.id;
  FitFile file(std::move(document), gpu);
  read_head(file, own);
  read_parts(file, own);
  file.close();
  return own;
}

void replace_parts(perf::Calibration& calibration, const OwnCalibration& own) {
  put(own.gemm, calibration.gemm, calibration.gemm_origin);
  put(own.prefill, calibration.prefill, calibration.prefill_origin);
  put(own.decode, calibration.decode, calibration.decode_origin);
  put(own.elementwise, calibration.elementwise, calibration.elementwise_origin);
  put(own.sampler, calibration.sampler, calibration.sampler_origin);
  if (own.mixed) {
    calibration.mixed = own.mixed->fit;
    calibration.mixed_origin = own.mixed->origin;
  }
  if (own.power) calibration.power = *own.power;
}

void replace_formats(perf::Calibration& calibration, const OwnCalibration& own) {
  if (own.gguf) calibration.formats[models::ProductKernels::gguf] = *own.gguf;
}

}  // namespace gpucap::catalog

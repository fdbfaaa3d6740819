#include "gpucap/catalog/fact.hpp"
#include "gpucap/catalog/gpus.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace gpucap::catalog {
namespace {

using hardware::Gpu;
using hardware::PeerToPeer;

/// Reads cells of one JSON object and keeps the source of each.
class Cells {
 public:
  Cells(ObjectReader& object, std::map<std::string, hardware::Fact>& sources,
        std::string prefix = "")
      : object_(&object), sources_(&sources), prefix_(std::move(prefix)) {}

  template <class Read>
  void required(std::string_view key, Read read) {
    take(key, FactReader::required(*object_, key), read);
  }
  template <class Read>
  void optional(std::string_view key, Read read) {
    take(key, FactReader::optional(*object_, key), read);
  }

 private:
  template <class Read>
  void take(std::string_view key, std::optional<FactReader> fact, Read read) {
    if (!fact) return;
    sources_->emplace(prefix_ + std::string(key), fact->fact());
    read(fact->cell());
  }

  ObjectReader* object_;
  std::map<std::string, hardware::Fact>* sources_;
  std::string prefix_;
};

// What to do with the "value" of a cell: functions that read it into a member of Gpu.

template <class Target, class Value>
void keep_positive(ObjectReader& cell, Target& target, std::optional<Value> value) {
  if (value && *value > Value{}) {
    target = *value;
  } else if (value) {
    cell.problem("value", "must be above zero", "out-of-range");
  }
}

template <class Target, class Q>
auto into(Target& target, Parsed<Q> (*parse)(std::string_view)) {
  return [&target, parse](ObjectReader& cell) {
    keep_positive(cell, target, cell.quantity("value", parse));
  };
}

template <class Target>
auto into_count(Target& target) {
  return [&target](ObjectReader& cell) {
    const auto value = cell.count("value");
    keep_positive(cell, target, value ? std::optional(static_cast<int>(*value)) : std::nullopt);
  };
}

auto into_megahertz(std::optional<Frequency>& target) {
  return [&target](ObjectReader& cell) {
    const auto value = cell.number("value");
    keep_positive(cell, target, value ? std::optional(*value * unit::MHz) : std::nullopt);
  };
}

auto into_text(std::string& target) {
  return [&target](ObjectReader& cell) { target = cell.text("value").value_or(""); };
}

/// "none" states with a source that the card has no NVLink.
auto into_link(std::optional<Bandwidth>& target) {
  return [&target](ObjectReader& cell) {
    if (cell.text("value") != "none") into(target, parse_bandwidth)(cell);
  };
}

auto into_peer_to_peer(PeerToPeer& target) {
  return [&target](ObjectReader& cell) {
    const auto value = cell.choice<PeerToPeer>(
        "value", "peer-to-peer state",
        {{"yes", PeerToPeer::yes}, {"no", PeerToPeer::no}, {"unknown", PeerToPeer::unknown}});
    target = value.value_or(PeerToPeer::unknown);
  };
}

void read_names(ObjectReader& root, GpuSheet& sheet) {
  Gpu& gpu = sheet.gpu;
  gpu.id = root.required("id", root.text("id"));
  gpu.name = root.required("name", root.text("name"));
  gpu.vendor = root.required("vendor", root.text("vendor"));
  gpu.architecture = root.required("architecture", root.text("architecture"));
  gpu.form_factor = root.required(
      "form_factor", root.choice<std::string>("form_factor", "form factor",
                                              {{"pcie", "pcie"}, {"sxm", "sxm"}, {"oam", "oam"}}));
  sheet.aliases = root.texts("aliases");
}

void read_peaks(ObjectReader& root, Gpu& gpu) {
  auto table = root.object("dense_peaks");
  if (table) {
    Cells cells(*table, gpu.sources, "dense_peaks/");
    for (const Dtype dtype : {Dtype::fp32, Dtype::tf32, Dtype::bf16, Dtype::fp16, Dtype::fp8,
                              Dtype::int8, Dtype::fp4}) {
      std::optional<FlopRate> peak;
      cells.optional(name(dtype), into(peak, parse_flop_rate));
      if (peak) gpu.dense_peak.emplace(dtype, *peak);
    }
    table->finish();
  }
  if (gpu.dense_peak.empty()) root.problem("dense_peaks", "no peak is given", "missing-key");
}

void read_compute(Cells& cells, Gpu& gpu) {
  cells.required("compute_capability", into_text(gpu.compute_capability));
  cells.required("sm_count", into_count(gpu.sm_count));
  cells.optional("boost_clock_mhz", into_megahertz(gpu.boost_clock));
  cells.optional("tensor_clock_mhz", into_megahertz(gpu.tensor_clock));
}

void read_memory(Cells& cells, Gpu& gpu) {
  cells.required("memory_total", into(gpu.memory_total, parse_bytes));
  cells.required("memory_visible", into(gpu.memory_visible, parse_bytes));
  cells.required("memory_bandwidth", into(gpu.memory_bandwidth, parse_bandwidth));
  cells.optional("l2", into(gpu.l2, parse_bytes));
  cells.optional("ecc", into_text(gpu.ecc));
}

void read_power_and_links(Cells& cells, Gpu& gpu) {
  cells.required("tdp", into(gpu.tdp, parse_power));
  cells.optional("idle_sleep", into(gpu.idle_sleep, parse_power));
  cells.optional("idle_loaded", into(gpu.idle_loaded, parse_power));
  cells.optional("pcie_generation", into_count(gpu.pcie_generation));
  cells.optional("pcie_lanes", into_count(gpu.pcie_lanes));
  cells.optional("nvlink", into_link(gpu.nvlink));
  cells.required("peer_to_peer", into_peer_to_peer(gpu.peer_to_peer));
}

void check(ObjectReader& root, const Gpu& gpu) {
  const std::string stem = std::filesystem::path(root.document().file()).stem().string();
  if (!gpu.id.empty() && gpu.id != stem) {
    root.problem("id", fmt::format("\"{}\" stands in a file named \"{}.json\"", gpu.id, stem),
                 "wrong-id");
  }
  if (gpu.memory_visible > gpu.memory_total && gpu.memory_total > Bytes{}) {
    root.problem("memory_visible", "a program cannot see more than the card has", "out-of-range");
  }
}

}  // namespace

GpuSheet read_gpu(JsonDocument document) {
  GpuSheet sheet;
  ObjectReader root(document);
  Cells cells(root, sheet.gpu.sources);
  read_names(root, sheet);
  read_compute(cells, sheet.gpu);
  read_peaks(root, sheet.gpu);
  read_memory(cells, sheet.gpu);
  read_power_and_links(cells, sheet.gpu);
  root.finish();
  check(root, sheet.gpu);
  document.throw_if_problems();
  return sheet;
}

}  // namespace gpucap::catalog

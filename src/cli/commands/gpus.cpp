#include "gpucap/catalog/gpus.hpp"

#include "gpucap/catalog/data_dir.hpp"
#include "gpucap/catalog/fits.hpp"
#include "gpucap/cli/catalog_commands.hpp"
#include "gpucap/cli/format.hpp"

#include <fmt/format.h>

namespace gpucap::cli {
namespace {

using hardware::Gpu;
using report::Cell;
using report::Listing;
using report::Shown;

template <int T, int D, int W, int E>
Cell in(const std::optional<Quantity<T, D, W, E>>& quantity, Quantity<T, D, W, E> unit) {
  if (!quantity) return {};
  return report::number_cell(quantity->in(unit));
}

template <int T, int D, int W, int E>
Cell in(const Quantity<T, D, W, E>& quantity, Quantity<T, D, W, E> unit) {
  return report::number_cell(quantity.in(unit));
}

Cell peak_of(const Gpu& gpu, Dtype dtype) {
  const auto found = gpu.dense_peak.find(dtype);
  return found == gpu.dense_peak.end() ? Cell{} : in(found->second, unit::TFLOP_per_s);
}

std::string word(hardware::PeerToPeer state) {
  switch (state) {
    case hardware::PeerToPeer::yes:
      return "yes";
    case hardware::PeerToPeer::no:
      return "no";
    case hardware::PeerToPeer::unknown:
      break;
  }
  return "unknown";
}

Listing listed(const std::vector<Gpu>& gpus) {
  Listing listing{{{"gpu", "GPU"},
                   {"architecture", "ARCHITECTURE", Shown::text, 2},
                   {"form_factor", "FORM", Shown::text, 3},
                   {"memory_total_gib", "GiB", Shown::plain},
                   {"memory_bandwidth_gb_per_s", "GB/s", Shown::count},
                   {"bf16_dense_tflop_per_s", "BF16 TFLOP/s", Shown::plain},
                   {"tdp_w", "TDP W", Shown::count},
                   {"nvlink_gb_per_s", "NVLINK GB/s", Shown::count, 1},
                   {"peer_to_peer", "P2P", Shown::text, 1}},
                  {}};
  for (const Gpu& gpu : gpus) {
    listing.rows.push_back(
        {gpu.id, gpu.architecture, gpu.form_factor, in(gpu.memory_total, unit::GiB),
         in(gpu.memory_bandwidth, unit::GB_per_s), peak_of(gpu, Dtype::bf16), in(gpu.tdp, unit::W),
         in(gpu.nvlink, unit::GB_per_s), word(gpu.peer_to_peer)});
  }
  return listing;
}

/// One line of `gpus show`: a value with its unit in the name, and the key of its source.
class Sheet {
 public:
  explicit Sheet(const Gpu& gpu) : gpu_(&gpu) {}

  void add(const std::string& field, Cell value, const std::string& source_key) {
    const auto fact = gpu_->sources.find(source_key);
    const bool known = fact != gpu_->sources.end();
    listing_.rows.push_back({field, std::move(value), known ? Cell{fact->second.kind} : Cell{},
                             known ? Cell{fact->second.source} : Cell{}});
  }
  Listing& listing() { return listing_; }

 private:
  const Gpu* gpu_;
  Listing listing_{{{"field", "FIELD"},
                    {"value", "VALUE", Shown::exact},
                    {"kind", "KIND"},
                    {"source", "SOURCE"}},
                   {}};
};

template <class Number>
Cell count_of(const std::optional<Number>& number) {
  return number ? Cell{std::int64_t{*number}} : Cell{};
}

void add_compute(Sheet& sheet, const Gpu& gpu) {
  sheet.add("compute_capability", gpu.compute_capability, "compute_capability");
  sheet.add("sm_count", std::int64_t{gpu.sm_count}, "sm_count");
  sheet.add("boost_clock_mhz", in(gpu.boost_clock, unit::MHz), "boost_clock_mhz");
  sheet.add("tensor_clock_mhz", in(gpu.tensor_clock, unit::MHz), "tensor_clock_mhz");
  for (const auto& [dtype, peak] : gpu.dense_peak) {
    sheet.add(fmt::format("{}_dense_tflop_per_s", name(dtype)), in(peak, unit::TFLOP_per_s),
              fmt::format("dense_peaks/{}", name(dtype)));
  }
}

void add_memory(Sheet& sheet, const Gpu& gpu) {
  sheet.add("memory_total_gib", in(gpu.memory_total, unit::GiB), "memory_total");
  sheet.add("memory_visible_gib", in(gpu.memory_visible, unit::GiB), "memory_visible");
  sheet.add("memory_bandwidth_gb_per_s", in(gpu.memory_bandwidth, unit::GB_per_s),
            "memory_bandwidth");
  sheet.add("l2_mib", in(gpu.l2, unit::MiB), "l2");
  sheet.add("ecc", report::text_cell(gpu.ecc), "ecc");
}

void add_power_and_links(Sheet& sheet, const Gpu& gpu) {
  sheet.add("tdp_w", in(gpu.tdp, unit::W), "tdp");
  sheet.add("idle_sleep_w", in(gpu.idle_sleep, unit::W), "idle_sleep");
  sheet.add("idle_loaded_w", in(gpu.idle_loaded, unit::W), "idle_loaded");
  sheet.add("pcie_generation", count_of(gpu.pcie_generation), "pcie_generation");
  sheet.add("pcie_lanes", count_of(gpu.pcie_lanes), "pcie_lanes");
  sheet.add("nvlink_gb_per_s", in(gpu.nvlink, unit::GB_per_s), "nvlink");
  sheet.add("peer_to_peer", word(gpu.peer_to_peer), "peer_to_peer");
}

/// "2.6 % median, 9.4 % at p95 of 80 unseen launches"; nothing where no error is known.
Cell error_of(const perf::FitOrigin& origin) {
  if (!origin.quality) return {};
  return fmt::format("error {:.1f} % median, {:.1f} % p95 of {} unseen launches",
                     100 * origin.quality->median_error, 100 * origin.quality->p95_error,
                     origin.quality->held_out_points);
}

/// How the card's times are known: one line for each kind of kernel.
void add_times(Listing& listing, const perf::Calibration& calibration, const std::string& card) {
  for (const auto& [part, origin] : perf::parts_of(calibration)) {
    const bool own = origin->card == card;
    listing.rows.push_back(
        {"times of " + part, error_of(*origin),
         own ? (origin->measured ? "measured" : "assumed") : "from " + origin->card,
         origin->file + ": " + origin->source});
  }
}

Listing sheet_of(const Gpu& gpu) {
  Sheet sheet(gpu);
  sheet.add("gpu", gpu.id, "");
  sheet.add("name", gpu.name, "");
  sheet.add("vendor", gpu.vendor, "");
  sheet.add("architecture", gpu.architecture, "");
  sheet.add("form_factor", gpu.form_factor, "");
  add_compute(sheet, gpu);
  add_memory(sheet, gpu);
  add_power_and_links(sheet, gpu);
  return std::move(sheet.listing());
}

Exit run_list(Arguments& arguments, Console& console) {
  const Format format = format_of(arguments);
  arguments.throw_if_problems();
  const auto book = catalog::load_gpus(catalog::data_directory());
  print_rows(listed(book.all()), format, console);
  console.note("Peaks are dense with FP32 accumulation. Sources: gpucap gpus show GPU");
  return Exit::done;
}

Exit run_show(Arguments& arguments, Console& console) {
  const Format format = format_of(arguments);
  arguments.throw_if_problems();
  const auto book = catalog::load_gpus(catalog::data_directory());
  const std::string& wanted = arguments.operands().front();
  const Gpu* gpu = book.find(wanted);
  if (gpu == nullptr) {
    throw InputError(Problem{"", "", "", book.unknown(wanted), "unknown-name"});
  }
  Listing sheet = sheet_of(*gpu);
  add_times(sheet, catalog::load_calibration(catalog::data_directory(), *gpu), gpu->id);
  print_cells(sheet, format, console);
  return Exit::done;
}

}  // namespace

Command gpus_list() {
  return {"gpus list", "the cards that are known", {"gpucap gpus list --format csv"},
          {},          {format_option()},          run_list};
}

Command gpus_show() {
  return {"gpus show",
          "every figure of one card, with its source",
          {"gpucap gpus show rtx-4090"},
          {{"GPU"}},
          {format_option()},
          run_show};
}

}  // namespace gpucap::cli

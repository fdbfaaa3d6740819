#include "gpucap/catalog/hosts.hpp"

#include "gpucap/catalog/data_dir.hpp"
#include "gpucap/catalog/fits.hpp"
#include "gpucap/cli/catalog_commands.hpp"
#include "gpucap/cli/format.hpp"
#include "gpucap/plan/collective.hpp"

#include <fmt/format.h>

namespace gpucap::cli {
namespace {

using hardware::Host;
using perf::CollectiveFit;
using report::Listing;
using report::Shown;

/// A ring over the host's cards under no engine in particular: NCCL where it was measured.
CollectiveFit ring_of(const perf::Calibration& calibration, const Host& host, int ranks) {
  return plan::collective_on(calibration, host, hardware::Collective::all_reduce, ranks, "");
}

Seconds start_of(const CollectiveFit& fit) {
  return fit.smaller.empty() ? fit.alpha : fit.smaller.front().alpha;
}

std::string basis(const CollectiveFit& fit) {
  if (fit.implementation != "links") return "measured, " + fit.implementation;
  return fmt::format("from the links, within {:.0f} %", 100 * fit.interval);
}

Listing listed(const std::vector<Host>& hosts, const perf::Calibration& calibration) {
  Listing listing{{{"host", "HOST"},
                   {"link", "LINK"},
                   {"max_gpus", "MAX CARDS", Shown::count},
                   {"ring_bandwidth_gb_per_s", "RING GB/s", Shown::plain},
                   {"ring_latency_us", "START us", Shown::plain},
                   {"full_ring_bandwidth_gb_per_s", "FULL RING GB/s", Shown::plain},
                   {"basis", "BASIS", Shown::text, 1},
                   {"name", "NAME", Shown::text, 2}},
                  {}};
  for (const Host& host : hosts) {
    const CollectiveFit pair = ring_of(calibration, host, 2);
    const CollectiveFit full = ring_of(calibration, host, host.max_gpus);
    listing.rows.push_back({host.id, std::string(name(host.link)), std::int64_t{host.max_gpus},
                            pair.busbw.in(unit::GB_per_s), start_of(pair).in(unit::us),
                            full.busbw.in(unit::GB_per_s), basis(pair), host.name});
  }
  return listing;
}

Listing sheet_of(const Host& host, const perf::Calibration& calibration) {
  Listing sheet{{{"field", "FIELD"}, {"value", "VALUE", Shown::exact}},
                {{"host", host.id},
                 {"name", host.name},
                 {"link", std::string(name(host.link))},
                 {"max_gpus", std::int64_t{host.max_gpus}},
                 {"machines", std::int64_t{host.layout.machines}},
                 {"sockets", std::int64_t{host.layout.sockets}},
                 {"gpus_per_socket", std::int64_t{host.layout.gpus_per_socket}},
                 {"gpus_per_switch", std::int64_t{host.layout.gpus_per_switch}},
                 {"nics_per_machine", std::int64_t{host.layout.nics}}}};
  for (const Host::Figure& figure : host.figures) {
    sheet.rows.push_back(
        {figure.what, report::text_cell(fmt::format("{} ({}: {})", figure.value, figure.fact.kind,
                                                    figure.fact.source))});
  }
  for (int ranks = 2; ranks <= host.max_gpus; ranks *= 2) {
    const CollectiveFit ring = ring_of(calibration, host, ranks);
    const auto key = [&](const char* what) { return fmt::format("ring_{}_{}", ranks, what); };
    sheet.rows.push_back({key("bandwidth_gb_per_s"), ring.busbw.in(unit::GB_per_s)});
    sheet.rows.push_back({key("latency_us"), start_of(ring).in(unit::us)});
    sheet.rows.push_back({key("basis"), basis(ring)});
    sheet.rows.push_back({key("source"), report::text_cell(ring.origin.source)});
  }
  return sheet;
}

Exit run_list(Arguments& arguments, Console& console) {
  const Format format = format_of(arguments);
  arguments.throw_if_problems();
  const auto& data = catalog::data_directory();
  print_rows(listed(catalog::load_hosts(data).all(), catalog::load_collectives(data)), format,
             console);
  console.note(
      "Ring: bus bandwidth and start cost of a large all-reduce over two cards; full ring: over "
      "all.");
  return Exit::done;
}

Exit run_show(Arguments& arguments, Console& console) {
  const Format format = format_of(arguments);
  arguments.throw_if_problems();
  const auto& data = catalog::data_directory();
  const auto book = catalog::load_hosts(data);
  const std::string& wanted = arguments.operands().front();
  const Host* host = book.find(wanted);
  if (host == nullptr) {
    throw InputError(Problem{"", "", "", book.unknown(wanted), "unknown-name"});
  }
  print_cells(sheet_of(*host, catalog::load_collectives(data)), format, console);
  return Exit::done;
}

}  // namespace

Command hosts_list() {
  return {"hosts list",          "the machines that hold cards",
          {"gpucap hosts list"}, {},
          {format_option()},     run_list};
}

Command hosts_show() {
  return {"hosts show",
          "one machine: its links, their sources, what a ring over them carries",
          {"gpucap hosts show pcie4-no-p2p"},
          {{"HOST"}},
          {format_option()},
          run_show};
}

}  // namespace gpucap::cli

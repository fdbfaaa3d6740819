#include "gpucap/catalog/hosts.hpp"

#include "gpucap/catalog/data_dir.hpp"
#include "gpucap/cli/catalog_commands.hpp"
#include "gpucap/cli/format.hpp"

namespace gpucap::cli {
namespace {

using hardware::Host;
using report::Listing;
using report::Shown;

std::string basis(const Host& host) {
  return host.measured ? "measured" : "derived";
}

Listing listed(const std::vector<Host>& hosts) {
  Listing listing{{{"host", "HOST"},
                   {"link", "LINK"},
                   {"max_gpus", "MAX CARDS", Shown::count},
                   {"ring_bandwidth_gb_per_s", "RING GB/s", Shown::plain},
                   {"ring_latency_us", "LATENCY us", Shown::plain},
                   {"basis", "BASIS", Shown::text, 1},
                   {"name", "NAME", Shown::text, 2}},
                  {}};
  for (const Host& host : hosts) {
    listing.rows.push_back({host.id, std::string(name(host.link)), std::int64_t{host.max_gpus},
                            host.ring_bandwidth.in(unit::GB_per_s), host.ring_latency.in(unit::us),
                            basis(host), host.name});
  }
  return listing;
}

Listing sheet_of(const Host& host) {
  return {{{"field", "FIELD"}, {"value", "VALUE", Shown::exact}},
          {{"host", host.id},
           {"name", host.name},
           {"link", std::string(name(host.link))},
           {"max_gpus", std::int64_t{host.max_gpus}},
           {"ring_bandwidth_gb_per_s", host.ring_bandwidth.in(unit::GB_per_s)},
           {"ring_latency_us", host.ring_latency.in(unit::us)},
           {"basis", basis(host)},
           {"source", report::text_cell(host.source)}}};
}

Exit run_list(Arguments& arguments, Console& console) {
  const Format format = format_of(arguments);
  arguments.throw_if_problems();
  print_rows(listed(catalog::load_hosts(catalog::data_directory()).all()), format, console);
  console.note("Ring: bus bandwidth and start cost of a large all-reduce over two cards.");
  return Exit::done;
}

Exit run_show(Arguments& arguments, Console& console) {
  const Format format = format_of(arguments);
  arguments.throw_if_problems();
  const auto book = catalog::load_hosts(catalog::data_directory());
  const std::string& wanted = arguments.operands().front();
  const Host* host = book.find(wanted);
  if (host == nullptr) {
    throw InputError(Problem{"", "", "", book.unknown(wanted), "unknown-name"});
  }
  print_cells(sheet_of(*host), format, console);
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
          "one machine, with its source",
          {"gpucap hosts show pcie4-no-p2p"},
          {{"HOST"}},
          {format_option()},
          run_show};
}

}  // namespace gpucap::cli

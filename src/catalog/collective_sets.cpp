#include "collective_sets.hpp"

#include "fit_file.hpp"
#include <fmt/format.h>

namespace gpucap::catalog {
namespace {

using hardware::Collective;
using hardware::Wire;

std::optional<Collective> read_collective(ObjectReader& reader) {
  std::vector<std::pair<std::string, Collective>> words;
  for (const Collective kind :
       {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
        Collective::all_to_all, Collective::send_recv}) {
    words.emplace_back(name(kind), kind);
  }
  return reader.choice("collective", "collective", words);
}

const std::vector<Wire>& wires() {
  static const std::vector<Wire> all = {Wire::nvlink, Wire::infinity_fabric, Wire::pcie,
                                        Wire::socket, Wire::memory,          Wire::network};
  return all;
}

Bandwidth read_busbw(ObjectReader& reader) {
  const auto busbw = reader.required("busbw", reader.quantity("busbw", parse_bandwidth));
  if (reader.has("busbw") && busbw <= Bandwidth{}) {
    reader.problem("busbw", "must be above zero", "out-of-range");
  }
  return busbw;
}

/// Pieces by rising limit; the last one has none and stands for all larger payloads.
void read_pieces(ObjectReader& set, perf::CollectiveFit& fit) {
  auto pieces = set.objects("pieces");
  if (pieces.empty()) set.problem("pieces", "must hold at least one", "missing-key");
  Bytes limit;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    ObjectReader& piece = pieces[i];
    perf::CollectiveFit::Piece read;
    read.alpha = duration(piece, "alpha");
    read.busbw = read_busbw(piece);
    read.q = positive(piece, "q");
    const auto below = piece.quantity("below", parse_bytes);
    const bool last = i + 1 == pieces.size();
    if (last != !piece.has("below")) {
      piece.problem("below", "stands in every piece but the last", "missing-key");
    } else if (below && *below <= limit) {
      piece.problem("below", "must rise from piece to piece", "out-of-range");
    }
    limit = read.below = below.value_or(limit);
    piece.finish();
    if (!last) {
      fit.smaller.push_back(read);
      continue;
    }
    fit.alpha = read.alpha;
    fit.busbw = read.busbw;
    fit.q = read.q;
  }
}

perf::CollectiveFit read_set(ObjectReader& set) {
  perf::CollectiveFit fit;
  fit.collective = set.required("collective", read_collective(set));
  fit.host = set.required("host", set.text("host"));
  fit.ranks = static_cast<int>(set.required("ranks", set.count("ranks")));
  if (set.has("ranks") && fit.ranks < 2) {
    set.problem("ranks", "must be at least 2", "out-of-range");
  }
  fit.implementation = set.required("implementation", set.text("implementation"));
  read_pieces(set, fit);
  fit.origin.file = collectives_file;
  fit.origin.source = set.required("source", set.text("source"));
  fit.origin.card = set.required("card", set.text("card"));
  fit.origin.measured = false;
  fit.origin.quality = read_quality(set);
  set.finish();
  return fit;
}

void read_link(ObjectReader& link, hardware::LinkRates& rates) {
  std::vector<std::pair<std::string, Wire>> words;
  for (const Wire wire : wires()) words.emplace_back(name(wire), wire);
  const Wire wire = link.required("wire", link.choice("wire", "kind of link", words));
  hardware::LinkRate rate;
  rate.efficiency = fraction(link, "efficiency");
  rate.error = positive(link, "error");
  rate.hop = duration(link, "hop");
  rate.source = link.required("source", link.text("source"));
  auto& same = link.flag("staged").value_or(false) ? rates.staged : rates.direct;
  if (!same.emplace(wire, std::move(rate)).second) {
    link.problem("wire", fmt::format("\"{}\" stands twice", name(wire)), "duplicate-name");
  }
  link.finish();
}

}  // namespace

std::vector<perf::CollectiveFit> read_collectives(const std::filesystem::path& data_dir) {
  JsonDocument document = JsonDocument::read((data_dir / collectives_file).string());
  ObjectReader root(document);
  root.text("form");
  std::vector<perf::CollectiveFit> sets;
  for (ObjectReader& set : root.objects("sets")) sets.push_back(read_set(set));
  root.finish();
  document.throw_if_problems();
  return sets;
}

std::vector<perf::CollectiveFit> seen_by(const std::string& gpu,
                                         std::vector<perf::CollectiveFit> sets) {
  for (perf::CollectiveFit& set : sets) set.origin.measured = set.origin.card == gpu;
  return sets;
}

hardware::LinkRates read_links(const std::filesystem::path& data_dir) {
  JsonDocument document = JsonDocument::read((data_dir / links_file).string());
  ObjectReader root(document);
  root.text("form");
  hardware::LinkRates rates;
  rates.launch = duration(root, "launch");
  rates.q = positive(root, "q");
  rates.source = root.required("source", root.text("source"));
  for (ObjectReader& link : root.objects("links")) read_link(link, rates);
  for (const Wire wire : wires()) {
    if (rates.direct.contains(wire)) continue;
    root.problem("links", fmt::format("lacks links of kind \"{}\"", name(wire)), "missing-key");
  }
  root.finish();
  document.throw_if_problems();
  return rates;
}

}  // namespace gpucap::catalog

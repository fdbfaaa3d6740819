#include "sections.hpp"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpucap::scenario {
namespace {

std::optional<hardware::Gpu> read_gpu(ObjectReader& node, Library& library) {
  const auto name = node.text("gpu");
  if (!name) {
    node.required("gpu", name);
    return std::nullopt;
  }
  if (const hardware::Gpu* gpu = library.gpu(*name)) return *gpu;
  node.problem("gpu", library.gpus().unknown(*name), "unknown-name");
  return std::nullopt;
}

void read_host(ObjectReader& node, Library& library, const HostRule& rule, Rented& candidate) {
  if (const auto name = node.text("host")) {
    if (const hardware::Host* host = library.hosts().find(*name)) {
      candidate.node.host = *host;
    } else {
      node.problem("host", library.hosts().unknown(*name), "unknown-name");
    }
    return;
  }
  try {
    const auto choice = rule(library.hosts(), candidate.node);
    candidate.node.host = *choice.host;
    if (!choice.caveat.empty()) candidate.notes.push_back(choice.caveat);
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) {
      node.problem("count", problem.message, problem.code);
    }
  }
}

void read_node(ObjectReader node, Library& library, const HostRule& rule, Rented& candidate) {
  candidate.node.count = cards_from(node, "count").value_or(1);
  if (const auto gpu = read_gpu(node, library)) {
    candidate.node.gpu = *gpu;
    read_host(node, library, rule, candidate);
  } else {
    node.text("host");
  }
  node.finish();
}

void read_offer(ObjectReader& object, Library& library, Rented& candidate) {
  const auto id = object.text("offer");
  if (!id) return;
  candidate.offer = accept(object, "offer", library.prices().find(*id));
  if (!candidate.offer || candidate.node.gpu.id.empty()) return;
  const auto match = pricing::match_gpu(*candidate.offer, candidate.node.gpu.id);
  if (!match.matches) {
    object.problem("offer",
                   fmt::format("this offer is {}x {}, not {}", candidate.offer->count,
                               candidate.offer->gpu, candidate.node.gpu.id),
                   "contradiction");
  } else if (candidate.node.count % candidate.offer->count == 0) {
    candidate.machines = candidate.node.count / candidate.offer->count;
  } else {
    object.problem("offer",
                   fmt::format("this offer has {} cards, the node has {}", candidate.offer->count,
                               candidate.node.count),
                   "contradiction");
  }
  if (match.note) candidate.notes.push_back(*match.note);
}

void read_price(ObjectReader& object, Rented& candidate) {
  candidate.price = object.quantity("price", parse_price);
  if (candidate.price && candidate.price->micro < 0) {
    object.problem("price", "a price cannot be negative", "out-of-range");
  }
  if (object.has("price") && object.has("offer")) {
    object.problem("price", "there is an offer already; write one of the two", "contradiction");
  }
}

}  // namespace

void read_rented(ObjectReader& object, const Reading& reading, const HostRule& rule,
                 Rented& candidate) {
  candidate.pointer = object.pointer();
  candidate.name = object.required("name", object.text("name"));
  if (auto node = object.object("node")) {
    read_node(*node, reading.library, rule, candidate);
  } else {
    object.required("node", std::optional<int>{});
  }
  candidate.spec_only = object.flag("spec_only").value_or(false);
  read_offer(object, reading.library, candidate);
  read_price(object, candidate);
}

void require_candidates(ObjectReader& root) {
  const nlohmann::json* list = root.raw("candidates");
  if (list == nullptr) root.required("candidates", std::optional<int>{});
  if (list != nullptr && list->is_array() && list->empty()) {
    root.problem("candidates", "names no node to compare", "missing-key");
  }
}

}  // namespace gpucap::scenario

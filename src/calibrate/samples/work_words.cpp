#include "work_words.hpp"

#include "gpucap/calibrate/samples_file.hpp"

#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpucap::calibrate {
namespace {

using catalog::ObjectReader;
using measure::AllReduce;
using measure::Attention;
using measure::Launch;
using measure::Pass;
using measure::Product;
using measure::Stream;
using measure::Transfer;
using measure::Work;
using Json = nlohmann::ordered_json;

/// Every kind of work by its word; sizes follow.
const std::vector<std::pair<std::string, Work>>& kinds() {
  static const std::vector<std::pair<std::string, Work>> words = {
      {"copy", Stream{Stream::Kind::copy, {}}},
      {"triad", Stream{Stream::Kind::triad, {}}},
      {"gemm", Product{}},
      {"attention", Attention{}},
      {"rms_norm", Pass{Pass::Kind::rms_norm, 0, 0}},
      {"rope", Pass{Pass::Kind::rope, 0, 0}},
      {"silu_mul", Pass{Pass::Kind::silu_mul, 0, 0}},
      {"launch", Launch{false, 1}},
      {"graph_launch", Launch{true, 1}},
      {"host_to_device", Transfer{Transfer::Kind::host_to_device, {}}},
      {"device_to_host", Transfer{Transfer::Kind::device_to_host, {}}},
      {"peer", Transfer{Transfer::Kind::peer, {}}},
      {"staged", Transfer{Transfer::Kind::staged, {}}},
      {"all_reduce", AllReduce{}}};
  return words;
}

/// Whether two pieces of work are of one kind, whatever their sizes.
struct SameKind {
  bool operator()(const Stream& a, const Stream& b) const { return a.kind == b.kind; }
  bool operator()(const Pass& a, const Pass& b) const { return a.kind == b.kind; }
  bool operator()(const Launch& a, const Launch& b) const { return a.graph == b.graph; }
  bool operator()(const Transfer& a, const Transfer& b) const { return a.kind == b.kind; }
  bool operator()(const Product&, const Product&) const { return true; }
  bool operator()(const Attention&, const Attention&) const { return true; }
  bool operator()(const AllReduce&, const AllReduce&) const { return true; }
  template <class A, class B>
  bool operator()(const A&, const B&) const {
    return false;
  }
};

std::int64_t whole(Bytes bytes) {
  return static_cast<std::int64_t>(bytes.base());
}

struct Put {
  Json& out;
  void operator()(const Stream& work) const { out["bytes"] = whole(work.bytes); }
  void operator()(const Product& work) const {
    out["dtype"] = name(work.dtype);
    out["accumulate"] = name(work.accumulate);
    out["m"] = work.m;
    out["n"] = work.n;
    out["k"] = work.k;
  }
  void operator()(const Attention& work) const {
    out["heads"] = work.heads;
    out["kv_heads"] = work.kv_heads;
    out["head_dim"] = work.head_dim;
    out["batch"] = work.batch;
    out["q"] = work.q;
    out["kv"] = work.kv;
  }
  void operator()(const Pass& work) const {
    out["tokens"] = work.tokens;
    out["width"] = work.width;
  }
  void operator()(const Launch& work) const { out["kernels"] = work.kernels; }
  void operator()(const Transfer& work) const { out["bytes"] = whole(work.bytes); }
  void operator()(const AllReduce& work) const {
    out["ranks"] = work.ranks;
    out["bytes"] = whole(work.payload);
  }
};

/// Reads the sizes of one kind of work.
struct Get {
  ObjectReader& in;

  /// A size: a whole number above zero that no product of sizes can overflow.
  [[nodiscard]] std::int64_t size(const char* key) const {
    constexpr std::int64_t most = 1LL << 40;
    const auto value = in.count(key);
    if (value && (*value < 1 || *value > most)) {
      in.problem(key, fmt::format("{} is no size above 0 and up to {}", *value, most),
                 "out-of-range");
      return 1;
    }
    return in.required(key, value);
  }
  [[nodiscard]] Bytes bytes(const char* key) const {
    return static_cast<double>(size(key)) * unit::byte;
  }
  [[nodiscard]] Dtype dtype(const char* key) const {
    const auto word = in.text(key);
    const auto known = word ? parse_dtype(*word) : std::nullopt;
    if (word && !known) {
      in.problem(key, fmt::format("unknown dtype \"{}\"", *word), "unknown-name");
    }
    return word ? known.value_or(Dtype::bf16) : in.required(key, std::optional<Dtype>{});
  }

  void operator()(Stream& work) const { work.bytes = bytes("bytes"); }
  void operator()(Product& work) const {
    work.dtype = dtype("dtype");
    work.accumulate = dtype("accumulate");
    work.m = size("m");
    work.n = size("n");
    work.k = size("k");
  }
  void operator()(Attention& work) const {
    work.heads = size("heads");
    work.kv_heads = size("kv_heads");
    work.head_dim = size("head_dim");
    work.batch = size("batch");
    work.q = size("q");
    work.kv = size("kv");
    if (work.heads % work.kv_heads != 0) {
      in.problem("kv_heads",
                 fmt::format("{} heads cannot share {} KV heads", work.heads, work.kv_heads),
                 "contradiction");
    }
    if (work.q > work.kv) {
      in.problem("q", "more new tokens than tokens in all", "contradiction");
    }
  }
  void operator()(Pass& work) const {
    work.tokens = size("tokens");
    work.width = size("width");
  }
  void operator()(Launch& work) const { work.kernels = static_cast<int>(size("kernels")); }
  void operator()(Transfer& work) const { work.bytes = bytes("bytes"); }
  void operator()(AllReduce& work) const {
    work.ranks = static_cast<int>(size("ranks"));
    work.payload = bytes("bytes");
  }
};

}  // namespace

std::string kind_of(const Work& work) {
  for (const auto& [word, known] : kinds()) {
    if (std::visit(SameKind{}, work, known)) return word;
  }
  return "";
}

void put_work(Json& sample, const Work& work) {
  sample["kind"] = kind_of(work);
  std::visit(Put{sample}, work);
}

Work read_work(ObjectReader& sample) {
  Work work = sample.required("kind", sample.choice<Work>("kind", "kind of work", kinds()));
  if (sample.has("kind")) std::visit(Get{sample}, work);
  return work;
}

}  // namespace gpucap::calibrate

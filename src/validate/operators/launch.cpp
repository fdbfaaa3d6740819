#include "launch.hpp"

#include <cmath>
#include <stdexcept>

namespace gpucap::validate {
namespace {

struct Kind {
  const char* reader;
  std::optional<Launch> (*launch)(const LaunchContext&, const CsvCells&);
};

constexpr Kind kinds[] = {{"gemm", gemm_launch},    {"attention", attention_launch},
                          {"mixed", mixed_launch},  {"experts", expert_launch},
                          {"layers", layer_launch}, {"collectives", collective_launch}};

}  // namespace

perf::Card card_of(const KnownCard& card, Dtype dtype) {
  return {card.gpu.peak(dtype), card.gpu.memory_bandwidth, card.gpu.sm_count,
          card.calibration.sustained.share};
}

std::int64_t whole(const CsvCells& row, const std::string& column) {
  return std::llround(row.needed(column));
}

const KnownCard& LaunchReader::card(const std::string& id) {
  const auto found = cards_.find(id);
  if (found != cards_.end()) return found->second;
  const hardware::Gpu* gpu = library_.gpu(id);
  if (gpu == nullptr) {
    throw InputError(Problem{"calibration/validation/sources.json", "", "/gpus",
                             library_.gpus().unknown(id), "unknown-name"});
  }
  return cards_.emplace(id, KnownCard{*gpu, library_.calibration(*gpu)}).first->second;
}

std::optional<Launch> LaunchReader::read(const Source& table, const CsvCells& row) {
  const auto name = book_.gpus.find(row.text("gpu"));
  if (name == book_.gpus.end()) return std::nullopt;
  const LaunchContext context{card(name->second.id), book_, library_};
  for (const Kind& kind : kinds) {
    if (table.reader != kind.reader) continue;
    auto launch = kind.launch(context, row);
    if (!launch) return std::nullopt;
    launch->table = table.name;
    launch->gpu = name->second.id;
    launch->measured = row.needed("time_us") * unit::us;
    return launch;
  }
  throw std::logic_error("a reader that the source book accepts is not in this table");
}

}  // namespace gpucap::validate

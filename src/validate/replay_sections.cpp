#include "replay_sections.hpp"

#include "gpucap/validate/replay.hpp"

#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace gpucap::validate {
namespace {

using report::Cell;
using report::Listing;
using report::Shown;

constexpr std::array metric_names{"TTFT", "TPOT", "E2E"};
constexpr std::size_t tpot_index = 1;  // the metric that is shown in ms
constexpr std::array statistic_names{"mean", "p50", "p90", "p95", "p99"};
constexpr std::array members{&Summary::mean, &Summary::p50, &Summary::p90, &Summary::p95,
                             &Summary::p99};

scenario::Options pool_of(std::int64_t tokens) {
  return {{"kv-cache-tokens", std::to_string(tokens)}};
}

const Summary& summary_of(const evaluate::Outcome& outcome, std::size_t metric) {
  const std::array all{&outcome.ttft_s, &outcome.tpot_s, &outcome.e2e_s};
  return *all[metric];
}

std::string number(double value) {
  return report::shown(value, Shown::exact);
}

/// The columns of one replay in a row of the table: predicted and error.
void add_cells(std::vector<Cell>& row, double predicted, double error) {
  row.emplace_back(number(predicted));
  row.emplace_back(signed_percent(error));
}

Listing statistics_table(const LoggedRun& run, const LoggedRequests& logged,
                         const std::vector<Replay>& replays) {
  Listing listing{{{"statistic", "STATISTIC"}, {"measured", "MEASURED"}}, {}};
  for (std::size_t i = 0; i < replays.size(); ++i) {
    const bool given = replays.size() == 2 && i == 0;
    const char* pool = given ? "measured_pool" : "predicted_pool";
    listing.fields.push_back({pool, given ? "MEASURED POOL" : "PREDICTED POOL"});
    listing.fields.push_back({fmt::format("{}_error", pool), "ERROR %"});
  }
  if (run.peer) listing.fields.push_back({"peer_error", run.peer->name + " %"});
  std::vector<Cell> pools{std::string("KV pool, tokens"), std::string("")};
  std::vector<Cell> makespans{std::string("makespan, s"), number(logged.makespan)};
  for (const Replay& one : replays) {
    pools.emplace_back(fmt::format("{}", one.outcome.memory.kv_cache_tokens));
    pools.emplace_back(std::string(""));
    add_cells(makespans, *one.outcome.throughput.makespan_s, one.makespan_error);
  }
  if (run.peer) {
    pools.emplace_back(std::string(""));
    makespans.emplace_back(std::string(""));
  }
  listing.rows.push_back(std::move(pools));
  listing.rows.push_back(std::move(makespans));
  for (std::size_t k = 0; k < metric_names.size() * statistic_names.size(); ++k) {
    const std::size_t metric = k / statistic_names.size();
    const std::size_t statistic = k % statistic_names.size();
    std::vector<Cell> row{fmt::format("{} {}, {}", metric_names[metric], statistic_names[statistic],
                                      metric == tpot_index ? "ms" : "s"),
                          std::string("")};
    for (const Replay& one : replays) {
      const double predicted = (metric == tpot_index ? 1e3 : 1) *
                               (summary_of(one.outcome, metric).*members[statistic]).value_or(0);
      row[1] = number(predicted / (1 + one.statistics[k]));
      add_cells(row, predicted, one.statistics[k]);
    }
    if (run.peer) row.emplace_back(signed_percent(run.peer->statistics[k]));
    listing.rows.push_back(std::move(row));
  }
  return listing;
}

std::string triple(const RequestErrors& errors) {
  return fmt::format("{} / {} / {}", percent(errors.ttft), percent(errors.tpot),
                     percent(errors.e2e));
}

std::vector<std::string> notes_of(const LoggedRun& run, const std::vector<Replay>& replays) {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < replays.size(); ++i) {
    const bool given = replays.size() == 2 && i == 0;
    notes.push_back(fmt::format(
        "{} pool: mean absolute error of the fifteen {} %; per request TTFT / TPOT / E2E {} %",
        given ? "Measured" : "Predicted", percent(replays[i].score()),
        triple(replays[i].per_request)));
  }
  if (run.peer) {
    notes.push_back(
        fmt::format("{}: per request {} %", run.peer->name, triple(run.peer->per_request)));
  }
  return notes;
}

struct Ablation {
  const char* name;
  double pool_factor = 1;
  Change change = {};
};

std::vector<Ablation> ablations() {
  const Change gap = [](plan::ServingQuestion& question) {
    question.engine.profile.host.gap = Seconds{};
  };
  const Change skew = [](plan::ServingQuestion& question) { question.calibration.decode.skew = 0; };
  const Change both = [gap, skew](plan::ServingQuestion& question) {
    gap(question);
    skew(question);
  };
  const Change apart = [](plan::ServingQuestion& question) {
    question.engine.profile.mixed_attention_launch = false;
  };
  const Change no_cache = [](plan::ServingQuestion& question) {
    question.engine.prefix_caching = false;
  };
  return {{"as it is", 1, {}},
          {"host gap 0", 1, gap},
          {"skew 0", 1, skew},
          {"gap 0 and skew 0", 1, both},
          {"separate attention", 1, apart},
          {"no prefix cache", 1, no_cache},
          {"KV pool -3 %", 0.97, {}},
          {"KV pool +3 %", 1.03, {}}};
}

Listing ablation_table(const LoggedRun& run, const LoggedRequests& logged, std::int64_t pool,
                       scenario::Library& library) {
  Listing listing{{{"change", "CHANGE"},
                   {"makespan", "MAKESPAN %"},
                   {"ttft_mean", "TTFT MEAN %"},
                   {"tpot_mean", "TPOT MEAN %"},
                   {"e2e_mean", "E2E MEAN %"},
                   {"fifteen", "FIFTEEN, MEAN ABS %"},
                   {"per_request", "PER REQUEST TTFT / TPOT / E2E %"}},
                  {}};
  for (const Ablation& ablation : ablations()) {
    const auto tokens = std::llround(static_cast<double>(pool) * ablation.pool_factor);
    const Replay one = replay(run, logged, pool_of(tokens), library, ablation.change);
    listing.rows.push_back({std::string(ablation.name), signed_percent(one.makespan_error),
                            signed_percent(one.statistics[0]), signed_percent(one.statistics[5]),
                            signed_percent(one.statistics[10]), percent(one.score()),
                            triple(one.per_request)});
  }
  return listing;
}

std::vector<Section> sections_of(const LoggedRun& run, scenario::Library& library) {
  const LoggedRequests logged = read_logged_requests(run.requests_file);
  std::vector<Replay> replays;
  if (run.kv_cache_tokens) {
    replays.push_back(replay(run, logged, pool_of(*run.kv_cache_tokens), library));
  }
  replays.push_back(replay(run, logged, {}, library));
  const std::int64_t pool =
      run.kv_cache_tokens.value_or(replays.back().outcome.memory.kv_cache_tokens);
  const std::string card = scenario::value_of(run.options, "gpu").value_or("");
  return {{"replay_" + card, run.name, statistics_table(run, logged, replays),
           Section::Readers::all, notes_of(run, replays)},
          {"ablations_" + card,
           fmt::format("What the parts are worth on it (pool of {} tokens)", pool),
           ablation_table(run, logged, pool, library),
           Section::Readers::all,
           {}}};
}

}  // namespace

std::vector<Section> replay_sections(const std::filesystem::path& folder,
                                     const std::filesystem::path& data_dir,
                                     scenario::Library& library) {
  std::vector<Section> sections;
  for (const LoggedRun& run : logged_runs(folder, data_dir)) {
    for (Section& section : sections_of(run, library)) sections.push_back(std::move(section));
  }
  return sections;
}

}  // namespace gpucap::validate

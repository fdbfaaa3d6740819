#pragma once

#include "gpucap/core/statistics.hpp"
#include "gpucap/record/sink.hpp"
#include "gpucap/validate/prediction.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpucap::validate {

/// What one request saw, in seconds; TPOT over the tokens after the first.
struct RequestLatency {
  double ttft = 0, tpot = 0, e2e = 0;
};

/// Mean over requests of the absolute error of each figure, shares.
struct RequestErrors {
  double ttft = 0, tpot = 0, e2e = 0;
};

/// A logged run of a real server, request by request, and what its peer, another simulator, reports
/// of itself.
struct LoggedRun {
  struct Peer {
    std::string name;
    std::vector<double> statistics;  ///< its errors of the fifteen, in the order of Replay's
    RequestErrors per_request;
  };
  std::string name;
  std::filesystem::path requests_file;  ///< CSV, a row per request: what it saw
  std::filesystem::path trace;          ///< what was asked, for `--trace`
  scenario::Options options;            ///< without pool and trace
  bool in_process = false;  ///< no server in front: times count from the engine's own queue
  std::optional<std::int64_t> kv_cache_tokens;  ///< as the engine logged it
  std::optional<Peer> peer;
};

/// The runs of calibration/validation/replays.json below `data_dir` whose files are in
/// FOLDER/serving. Throws InputError with every problem of that file.
std::vector<LoggedRun> logged_runs(const std::filesystem::path& folder,
                                   const std::filesystem::path& data_dir);

struct LoggedRequests {
  std::vector<RequestLatency> requests;  ///< in the order of the trace
  double makespan = 0;                   ///< s
};
/// Throws InputError: a damaged table, or one without requests.
LoggedRequests read_logged_requests(const std::filesystem::path& file);

/// One replay of a run and how far it is off.
struct Replay {
  evaluate::Outcome outcome;
  double makespan_error = 0;  ///< signed share
  RequestErrors per_request;
  /// Signed errors, shares, of mean, p50, p90, p95 and p99 of TTFT, TPOT and E2E, in this order.
  std::vector<double> statistics;

  /// Mean of the absolute errors of the fifteen statistics.
  [[nodiscard]] double score() const;
};

/// Replays a run with further options ("kv-cache-tokens") and a change of the planned case.
Replay replay(const LoggedRun& run, const LoggedRequests& logged, const scenario::Options& more,
              scenario::Library& library, const Change& change = {});

}  // namespace gpucap::validate

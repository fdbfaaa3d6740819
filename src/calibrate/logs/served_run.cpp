#include "gpucap/calibrate/served_run.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace gpucap::calibrate {
namespace {

/// Tokens of failed requests and what runs beside the clock explain less than this.
constexpr double throughput_tolerance = 0.02;

void check_counts(const ServedRun& run, std::vector<Problem>& problems) {
  if (run.completed == 0) {
    problems.push_back(
        run.problem("completed", "no request was completed: nothing was measured", "empty-run"));
  }
  if (run.prompts && run.completed > *run.prompts) {
    problems.push_back(run.problem(
        "completed", fmt::format("{} requests completed of {} sent", run.completed, *run.prompts),
        "contradiction"));
  }
  for (const auto& [key, tokens] : {std::pair{"total_input_tokens", run.input_tokens},
                                    std::pair{"total_output_tokens", run.output_tokens}}) {
    if (run.completed == 0 || tokens >= run.completed) continue;
    problems.push_back(
        run.problem(key, fmt::format("{} tokens in {} completed requests", tokens, run.completed),
                    "contradiction"));
  }
  if (!(run.duration > Seconds{})) {
    problems.push_back(run.problem("duration", "must be above zero", "out-of-range"));
  }
}

void check_throughput(const ServedRun& run, const std::string& statistic, std::int64_t count,
                      const char* of, std::vector<Problem>& problems) {
  const LoggedFigure* stated = run.figure("throughput", statistic);
  if (stated == nullptr) return;
  const double given = static_cast<double>(count) / run.duration.in(unit::s);
  const double apart = std::fabs(stated->value - given);
  if (apart <= throughput_tolerance * given + run.printed_to / 2) return;
  problems.push_back(run.problem(
      "throughput " + statistic,
      fmt::format("is {:.5g} {}, but {} {} in {:.5g} s are {:.5g}: {:.2g} % apart", stated->value,
                  statistic, count, of, run.duration.in(unit::s), given, 100 * apart / given),
      "contradiction"));
}

void check_percentiles(const ServedRun& run, std::vector<Problem>& problems) {
  for (const char* metric : {"ttft", "tpot", "itl", "e2e"}) {
    const LoggedFigure* median = run.figure(metric, "p50");
    const LoggedFigure* high = run.figure(metric, "p99");
    if (median == nullptr || high == nullptr || high->value >= median->value) continue;
    problems.push_back(
        run.problem(fmt::format("{} p99", metric),
                    fmt::format("the 99th percentile, {:.4g} ms, is below the median, {:.4g} ms",
                                1e3 * high->value, 1e3 * median->value),
                    "contradiction"));
  }
}

}  // namespace

const LoggedFigure* ServedRun::figure(const std::string& metric,
                                      const std::string& statistic) const {
  const auto found = std::find_if(figures.begin(), figures.end(), [&](const LoggedFigure& one) {
    return one.metric == metric && one.statistic == statistic;
  });
  return found == figures.end() ? nullptr : &*found;
}

Problem ServedRun::problem(const std::string& place, std::string message, std::string code) const {
  const auto found = places.find(place);
  const auto self = places.find("");
  const LogPlace nowhere;
  const LogPlace& at =
      found != places.end() ? found->second : (self != places.end() ? self->second : nowhere);
  return {file, at.position, at.pointer, std::move(message), std::move(code)};
}

std::vector<Problem> contradictions(const ServedRun& run) {
  std::vector<Problem> problems;
  check_counts(run, problems);
  if (!problems.empty()) return problems;  // rates of impossible counts would only repeat it
  check_throughput(run, "req/s", run.completed, "requests", problems);
  check_throughput(run, "out tok/s", run.output_tokens, "output tokens", problems);
  check_throughput(run, "total tok/s", run.input_tokens + run.output_tokens, "tokens", problems);
  check_percentiles(run, problems);
  return problems;
}

}  // namespace gpucap::calibrate

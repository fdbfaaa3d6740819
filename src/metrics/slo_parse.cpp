#include "gpucap/core/nearest_name.hpp"
#include "gpucap/metrics/slo.hpp"
#include "gpucap/units/parse.hpp"

#include <algorithm>
#include <span>

#include "slo_names.hpp"
#include <fmt/format.h>

namespace gpucap::metrics {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Beyond it instants no longer fit into 64 bits of nanoseconds.
constexpr Seconds longest_limit = 36525 * unit::day;

/// Reads one limit after another and collects what is wrong with each.
class Reader {
 public:
  explicit Reader(const Problem& where) : where_(where) {}

  void read(std::string_view text) {
    const std::size_t sign = text.find('<');
    if (sign == std::string_view::npos) {
      return fault(fmt::format("\"{}\" is no limit; write for example \"ttft_p95<2s\"", text),
                   "slo-syntax");
    }
    std::string_view value = text.substr(sign + 1);
    if (value.starts_with('=')) value.remove_prefix(1);
    const auto name = read_name(trimmed(text.substr(0, sign)));
    const auto seconds = read_seconds(trimmed(value));
    if (name && seconds) add({name->first, name->second, *seconds});
  }

  Slo finish() {
    if (!problems_.empty()) throw InputError(std::move(problems_));
    return std::move(slo_);
  }

 private:
  using Name = std::pair<Metric, Statistic>;

  void fault(std::string message, std::string code) {
    Problem problem = where_;
    problem.message = std::move(message);
    problem.code = std::move(code);
    problems_.push_back(std::move(problem));
  }

  std::optional<std::size_t> index_of(std::string_view kind, std::string_view name,
                                      std::span<const std::string> known) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
    fault(unknown_name(kind, name, known), "unknown-name");
    return std::nullopt;
  }

  std::optional<Name> read_name(std::string_view name) {
    const std::size_t bar = name.find('_');
    const auto metric = index_of("metric", name.substr(0, bar), metric_names);
    if (bar == std::string_view::npos) {
      if (metric) {
        fault(fmt::format("\"{0}\" names no statistic; write for example \"{0}_p95\"", name),
              "slo-syntax");
      }
      return std::nullopt;
    }
    const auto statistic = index_of("statistic", name.substr(bar + 1), statistic_names);
    if (!metric || !statistic) return std::nullopt;
    return Name{static_cast<Metric>(*metric), static_cast<Statistic>(*statistic)};
  }

  std::optional<Seconds> read_seconds(std::string_view text) {
    const auto duration = parse_duration(text);
    if (!duration) {
      fault(duration.failure().message, duration.failure().code);
    } else if (!(*duration > Seconds{})) {
      fault(fmt::format("a limit of \"{}\" can never hold; it must be positive", text),
            "out-of-range");
    } else if (*duration > longest_limit) {
      fault(fmt::format("a limit of \"{}\" is longer than a hundred years", text), "out-of-range");
    } else {
      return *duration;
    }
    return std::nullopt;
  }

  void add(const Limit& limit) {
    const auto same = [&](const Limit& other) {
      return other.metric == limit.metric && other.statistic == limit.statistic;
    };
    if (std::any_of(slo_.begin(), slo_.end(), same)) {
      return fault(fmt::format("{} has two limits; keep one", limit.name()), "duplicate-name");
    }
    slo_.push_back(limit);
  }

  Problem where_;
  Slo slo_;
  std::vector<Problem> problems_;
};

}  // namespace

Slo parse_slo(std::string_view text, const Problem& where) {
  Reader reader(where);
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    reader.read(trimmed(text.substr(start, end - start)));
    start = end + 1;
  }
  return reader.finish();
}

}  // namespace gpucap::metrics

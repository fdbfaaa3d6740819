#include "sacct_fields.hpp"

#include <algorithm>
#include <optional>

#include "digits.hpp"
#include "job_fields.hpp"
#include "line_reader.hpp"
#include <fmt/format.h>

namespace gpucap::workload {
namespace {

/// Cuts off the text before the first separator, or all of it.
std::string_view cut(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view piece = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return piece;
}

ParseFailure no_duration(std::string_view text) {
  return {fmt::format("\"{}\" is not a duration such as 1-02:03:04", excerpt(text)), "not-a-time"};
}

// 27 years of days: far beyond any job, and nanoseconds stay within 64 bits.
constexpr std::int64_t largest_part = 10'000;

std::optional<std::int64_t> whole_part(std::string_view text) {
  const auto part = decimal_parts(text, 1);
  return part && *part >= 0 && *part <= largest_part ? part : std::nullopt;
}

/// Compute slices of a MIG type such as "1g.5gb" or "a100_3g.40gb"; 0 for a whole card.
std::int64_t slices_of(std::string_view type) {
  const std::size_t mark = type.find("g.");
  if (mark == std::string_view::npos || mark == 0 || !is_digit(type[mark - 1])) return 0;
  const bool alone = mark == 1 || type[mark - 2] == '_' || type[mark - 2] == '-';
  return alone ? type[mark - 1] - '0' : 0;
}

std::int64_t thousandths_of(std::string_view type, std::int64_t count) {
  const std::int64_t slices = slices_of(type);
  const std::int64_t all = type.find("a30_") != std::string_view::npos ? 4 : 7;
  return slices == 0 ? count * 1000 : (count * slices * 1000 + all / 2) / all;
}

struct Counts {
  std::int64_t total = 0;  ///< of the entry without type
  std::int64_t typed = 0;  ///< of all entries with one
  std::int64_t typed_thousandths = 0;
};

constexpr std::int64_t most_gpus = 1'000'000;

/// One entry "gres/gpu=2" or "gres/gpu:a100=2"; others are no GPUs. False when the count is bad.
bool add_entry(std::string_view entry, Counts& counts, std::vector<std::string>& models) {
  constexpr std::string_view gpu = "gres/gpu";
  std::string_view rest = entry;
  const std::string_view key = cut(rest, '=');
  if (!key.starts_with(gpu) || (key.size() > gpu.size() && key[gpu.size()] != ':')) return true;
  const auto count = parse_count(rest);
  if (!count || *count < 0 || *count > most_gpus) return false;
  if (key.size() == gpu.size()) {
    counts.total += *count;
    return true;
  }
  const std::string_view type = key.substr(gpu.size() + 1);
  counts.typed += *count;
  counts.typed_thousandths += thousandths_of(type, *count);
  models.emplace_back(type);
  return true;
}

}  // namespace

Parsed<SimTime> parse_slurm_duration(std::string_view text) {
  std::string_view rest = text;
  const bool with_days = rest.find('-') != std::string_view::npos;
  const auto days = with_days ? whole_part(cut(rest, '-')) : 0;
  const bool with_hours = std::count(rest.begin(), rest.end(), ':') == 2;
  const auto hours = with_hours ? whole_part(cut(rest, ':')) : 0;
  const auto minutes = whole_part(cut(rest, ':'));
  const auto ns = decimal_parts(rest, ns_per_second);
  const bool good = days && hours && minutes && ns && *ns >= 0 && (with_hours || !with_days);
  if (!good || *ns > largest_part * ns_per_second) return no_duration(text);
  const std::int64_t whole_minutes = (*days * 24 + *hours) * 60 + *minutes;
  return SimTime{whole_minutes * 60 * ns_per_second + *ns};
}

Parsed<SlurmGpus> parse_tres(std::string_view text) {
  Counts counts;
  SlurmGpus gpus;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view entry = cut(rest, ',');
    if (add_entry(entry, counts, gpus.models)) continue;
    return ParseFailure{fmt::format("\"{}\" is not a count of GPUs", excerpt(entry)),
                        "not-a-count"};
  }
  const std::int64_t untyped = std::max<std::int64_t>(0, counts.total - counts.typed);
  gpus.thousandths = counts.typed_thousandths + untyped * 1000;
  return gpus;
}

}  // namespace gpucap::workload

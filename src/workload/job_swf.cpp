#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "csv_row.hpp"
#include "job_collector.hpp"
#include "job_fields.hpp"
#include "job_readers.hpp"
#include "line_reader.hpp"
#include <fmt/format.h>

namespace gpucap::workload {
namespace {

/// The 18 fields of Chapin et al. 1999, by their place.
enum Field : std::size_t {
  job_number,
  submit_time,
  wait_time,
  run_time,
  allocated_processors,
  cpu_time,
  used_memory,
  requested_processors,
  requested_time,
  requested_memory,
  status,
  user,
  group,
  executable,
  queue,
  partition,
  preceding_job,
  think_time,
  field_count
};

constexpr std::string_view field_names[field_count] = {"job number",
                                                       "submit time",
                                                       "wait time",
                                                       "run time",
                                                       "allocated processors",
                                                       "average CPU time",
                                                       "used memory",
                                                       "requested processors",
                                                       "requested time",
                                                       "requested memory",
                                                       "status",
                                                       "user",
                                                       "group",
                                                       "executable",
                                                       "queue",
                                                       "partition",
                                                       "preceding job",
                                                       "think time"};

constexpr std::string_view unknown = "-1";
constexpr std::int64_t most_processors = 1'000'000;

/// Words between blanks.
void split_words(std::string_view line, std::vector<CsvField>& words) {
  words.clear();
  for (std::size_t at = 0; (at = line.find_first_not_of(" \t", at)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    words.push_back({line.substr(at, end - at), static_cast<std::int64_t>(at) + 1});
    at = end;
  }
}

Parsed<std::int64_t> parse_processors(std::string_view text) {
  const auto count = parse_count(text);
  if (count && std::abs(*count) <= most_processors) return count;
  return ParseFailure{fmt::format("\"{}\" is not a whole number of processors", excerpt(text)),
                      "not-a-count"};
}

class SwfReader {
 public:
  SwfReader(const std::filesystem::path& path, double gpus_per_processor)
      : lines_(path), gpus_per_processor_(gpus_per_processor), jobs_(lines_.file()) {}

  JobTrace read() && {
    while (lines_.next()) {
      if (lines_.line().find_first_not_of(" \t") == lines_.line().find(';')) continue;
      split_words(lines_.line(), words_);
      const std::size_t problems_above = problems_.size();
      if (!whole()) continue;
      Job job = read_job();
      if (problems_.size() == problems_above) sort_out(std::move(job));
    }
    problems_.throw_if_any();
    return std::move(jobs_).finish();
  }

 private:
  bool whole() {
    if (words_.size() == field_count) return true;
    problems_.add(lines_.problem(
        {lines_.number(), 1}, "",
        fmt::format("{} fields, but an SWF line has {}", words_.size(), std::size_t{field_count}),
        "field-count"));
    return false;
  }

  [[nodiscard]] std::string_view text(Field field) const { return words_[field].text; }
  [[nodiscard]] std::string known(Field field) const {
    return text(field) == unknown ? std::string() : std::string(text(field));
  }

  template <class T>
  T value(Field field, Parsed<T> (*parse)(std::string_view)) {
    const Parsed<T> parsed = parse(text(field));
    if (parsed) return *parsed;
    problems_.add(lines_.problem({lines_.number(), words_[field].column}, field_names[field],
                                 parsed.failure().message, parsed.failure().code));
    return T{};
  }

  Job read_job() {
    Job job;
    job.id = known(job_number);
    job.user = known(user);
    job.model = known(executable);
    job.submit = value(submit_time, parse_run_time);
    job.duration = value(run_time, parse_run_time);
    const SimTime limit = value(requested_time, parse_run_time);
    if (limit.ns > 0) job.time_limit = limit;
    const std::int64_t allocated = value(allocated_processors, parse_processors);
    const std::int64_t requested = value(requested_processors, parse_processors);
    const auto processors =
        static_cast<double>(std::max<std::int64_t>(0, allocated > 0 ? allocated : requested));
    job.gpu_thousandths = std::llround(processors * gpus_per_processor_ * 1000);
    return job;
  }

  void sort_out(Job&& job) {
    const std::string_view end = text(status);
    if (end == "2" || end == "3" || end == "4") return jobs_.drop(DropReason::partial);
    if (job.submit.ns < 0) return jobs_.drop(DropReason::no_submit);
    if (end == "5" && job.duration.ns <= 0) return jobs_.drop(DropReason::never_started);
    jobs_.take(std::move(job));
  }

  LineReader lines_;
  double gpus_per_processor_;
  JobCollector jobs_;
  ProblemList problems_;
  std::vector<CsvField> words_;
};

}  // namespace

JobTrace read_swf(const std::filesystem::path& path, double gpus_per_processor) {
  return SwfReader(path, gpus_per_processor).read();
}

}  // namespace gpucap::workload

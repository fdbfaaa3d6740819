#include "gpucap/core/file.hpp"
#include "gpucap/workload/job_trace.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include "job_columns.hpp"
#include "job_fields.hpp"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpucap::workload {
namespace {

using Text = fmt::memory_buffer;

void append(Text& text, std::string_view piece) {
  text.append(piece.data(), piece.data() + piece.size());
}

void append(Text& text, std::int64_t value) {
  const fmt::format_int digits(value);
  text.append(digits.data(), digits.data() + digits.size());
}

/// Exact to the nanosecond, without zeros at the end.
void append(Text& text, SimTime time) {
  append(text, time.ns / ns_per_second);
  if (time.ns % ns_per_second == 0) return;
  // The leading 1 keeps the zeros behind the point.
  const fmt::format_int fraction(ns_per_second + time.ns % ns_per_second);
  std::string_view digits(fraction.data() + 1, fraction.size() - 1);
  digits.remove_suffix(digits.size() - 1 - digits.find_last_not_of('0'));
  text.push_back('.');
  append(text, digits);
}

void append_words(Text& text, std::string_view words) {
  if (words.find_first_of(",\"") == std::string_view::npos) return append(text, words);
  text.push_back('"');
  for (const char c : words) {
    if (c == '"') text.push_back('"');
    text.push_back(c);
  }
  text.push_back('"');
}

template <class T>
void append(Text& text, const std::optional<T>& value) {
  if (value) append(text, *value);
}

void append_scalability(Text& text, const Job& job) {
  if (!job.scalability) return;
  for (const ScalabilityPoint& point : *job.scalability) {
    if (&point != &job.scalability->front()) text.push_back(' ');
    fmt::format_to(std::back_inserter(text), "{}:{}", point.gpus, point.iterations.in(unit::per_s));
  }
}

struct OwnColumn {
  std::string_view name;
  bool (*used)(const Job&);
  void (*write)(Text&, const Job&);
};

bool always(const Job&) {
  return true;
}

constexpr OwnColumn columns[] = {
    {own_column::id, [](const Job& job) { return !job.id.empty(); },
     [](Text& text, const Job& job) { append_words(text, job.id); }},
    {own_column::submit, always, [](Text& text, const Job& job) { append(text, job.submit); }},
    {own_column::gpus, always,
     [](Text& text, const Job& job) { append(text, gpus_text(job.gpu_thousandths)); }},
    {own_column::duration, always, [](Text& text, const Job& job) { append(text, job.duration); }},
    {own_column::user, [](const Job& job) { return !job.user.empty(); },
     [](Text& text, const Job& job) { append_words(text, job.user); }},
    {own_column::model, [](const Job& job) { return !job.model.empty(); },
     [](Text& text, const Job& job) { append_words(text, job.model); }},
    {own_column::time_limit, [](const Job& job) { return job.time_limit.has_value(); },
     [](Text& text, const Job& job) { append(text, job.time_limit); }},
    {own_column::priority, [](const Job& job) { return job.priority != 0; },
     [](Text& text, const Job& job) { append(text, job.priority); }},
    {own_column::gpu_models, [](const Job& job) { return !job.gpu_models.empty(); },
     [](Text& text, const Job& job) {
       append_words(text, fmt::format("{}", fmt::join(job.gpu_models, "|")));
     }},
    {own_column::batch_size, [](const Job& job) { return job.batch_size.has_value(); },
     [](Text& text, const Job& job) { append(text, job.batch_size); }},
    {own_column::iterations, [](const Job& job) { return job.iterations.has_value(); },
     [](Text& text, const Job& job) { append(text, job.iterations); }},
    {own_column::recorded_gpu, [](const Job& job) { return job.recorded_gpu.has_value(); },
     [](Text& text, const Job& job) { append_words(text, job.recorded_gpu.value_or("")); }},
    {own_column::scalability, [](const Job& job) { return job.scalability != nullptr; },
     append_scalability},
};

std::vector<OwnColumn> used_columns(const std::vector<Job>& jobs) {
  std::vector<OwnColumn> used;
  for (const OwnColumn& column : columns) {
    if (std::any_of(jobs.begin(), jobs.end(), column.used) || column.used == always) {
      used.push_back(column);
    }
  }
  return used;
}

}  // namespace

void write_jobs(const std::vector<Job>& jobs, const std::filesystem::path& path) {
  const std::vector<OwnColumn> used = used_columns(jobs);
  Text text;
  for (const OwnColumn& column : used) {
    if (&column != &used.front()) text.push_back(',');
    append(text, column.name);
  }
  text.push_back('\n');
  for (const Job& job : jobs) {
    for (const OwnColumn& column : used) {
      if (&column != &used.front()) text.push_back(',');
      column.write(text, job);
    }
    text.push_back('\n');
  }
  write_file(path, {text.data(), text.size()});
}

}  // namespace gpucap::workload

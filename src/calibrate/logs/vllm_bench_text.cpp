#include "gpucap/units/parse.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <string_view>

#include "json_log.hpp"
#include "vllm_bench.hpp"
#include <fmt/format.h>

namespace gpucap::calibrate {
namespace {

constexpr std::string_view title = "Serving Benchmark Result";
constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool is_rule(std::string_view line) {
  return line.size() >= 10 && line.find_first_not_of('=') == std::string_view::npos;
}

/// What a log says before a block and the block repeats only in newer versions.
struct Announced {
  std::optional<Frequency> rate;
  std::optional<std::int64_t> clients, prompts;
  std::string model;
};

std::optional<Frequency> rate_in(std::string_view word) {
  if (word == "inf") return std::numeric_limits<double>::infinity() * unit::per_s;
  const auto rate = parse_number(word);
  return rate && *rate > 0 ? std::optional(*rate * unit::per_s) : std::nullopt;
}

std::optional<std::int64_t> count_in(std::string_view word) {
  const auto count = parse_count(word);
  return count && *count > 0 ? std::optional(*count) : std::nullopt;
}

/// `name=value` of an argparse Namespace in the line; quotes taken off.
std::string argument(std::string_view line, std::string_view name) {
  for (const char* before : {" ", "("}) {
    const std::string wanted = fmt::format("{}{}=", before, name);
    const std::size_t at = line.find(wanted);
    if (at == std::string_view::npos) continue;
    std::string_view value = line.substr(at + wanted.size());
    if (!value.starts_with('\'')) return std::string(value.substr(0, value.find_first_of(",)")));
    value.remove_prefix(1);
    return std::string(value.substr(0, value.find('\'')));
  }
  return "";
}

class BlockReader {
 public:
  explicit BlockReader(const std::filesystem::path& file)
      : file_(file.string()), name_(file.filename().string()) {}

  void line(std::string_view raw, std::size_t number) {
    number_ = number;
    const std::string_view text = trimmed(raw);
    if (text.find(title) != std::string_view::npos && text.starts_with("=")) {
      if (run_) cut_off();
      start();
    } else if (run_ && is_rule(text)) {
      finish();
    } else if (run_) {
      row(raw);
    } else {
      announce(text);
    }
  }

  std::vector<ServedRun> end() {
    if (run_) cut_off();
    if (runs_.empty() && problems_.empty()) {
      problems_.push_back({file_, "", "",
                           fmt::format("holds neither JSON nor a block \"{}\"", title),
                           "wrong-format"});
    }
    if (!problems_.empty()) throw InputError(std::move(problems_));
    return std::move(runs_);
  }

 private:
  void start() {
    run_.emplace();
    run_->file = file_;
    run_->name = fmt::format("{} #{}", name_, ++blocks_);
    run_->model = said_.model;
    run_->request_rate = said_.rate;
    run_->clients = said_.clients;
    run_->prompts = said_.prompts;
    run_->printed_to = 0.01;
    run_->places[""] = {fmt::format("{}:1", number_), ""};
    seen_.clear();
  }

  void cut_off() {
    problems_.push_back(
        run_->problem("", "this result block is cut off: no line of = ends it", "truncated"));
    run_.reset();
  }

  void finish() {
    for (const char* needed : {"successful requests", "benchmark duration (s)",
                               "total input tokens", "total generated tokens"}) {
      if (std::find(seen_.begin(), seen_.end(), needed) != seen_.end()) continue;
      problems_.push_back(run_->problem(
          "", fmt::format("this result block has no line \"{}\"", needed), "missing-key"));
    }
    runs_.push_back(std::move(*run_));
    run_.reset();
    said_ = {};
  }

  void announce(std::string_view text) {
    const auto after = [&](std::string_view label) {
      return text.starts_with(label) ? trimmed(text.substr(label.size())) : std::string_view{};
    };
    if (const auto rate = after("Traffic request rate:"); !rate.empty()) {
      said_.rate = rate_in(rate.substr(0, rate.find(' ')));
    }
    if (const auto clients = after("Maximum request concurrency:"); !clients.empty()) {
      said_.clients = count_in(clients);
    }
    if (text.find("Namespace(") == std::string_view::npos) return;
    said_.model = argument(text, "model");
    said_.prompts = count_in(argument(text, "num_prompts"));
    said_.rate = rate_in(argument(text, "request_rate"));
    said_.clients = count_in(argument(text, "max_concurrency"));
  }

  /// A line "Mean TTFT (ms):      43.50"; headings between rules of '-' have no colon.
  void row(std::string_view raw) {
    const std::size_t colon = raw.rfind(':');
    if (colon == std::string_view::npos) return;
    const std::string label = lower(trimmed(raw.substr(0, colon)));
    const std::string_view word = trimmed(raw.substr(colon + 1));
    const std::string place = place_of(label);
    if (place.empty()) return;
    const LogPlace at{fmt::format("{}:{}", number_, raw.find(word, colon) + 1), ""};
    const auto value = parse_number(word);
    if (!value || *value < 0) {
      problems_.push_back({file_, at.position, std::string(trimmed(raw.substr(0, colon))),
                           fmt::format("\"{}\" is no measured value", word), "not-a-number"});
    }
    seen_.push_back(label);
    run_->places[place] = at;
    put(place, value && *value >= 0 ? *value : 0);
  }

  /// The name under which a run keeps the figure of a line; empty for lines of no use here.
  static std::string place_of(const std::string& label) {
    static const std::map<std::string, std::string> plain{
        {"successful requests", "completed"},
        {"benchmark duration (s)", "duration"},
        {"total input tokens", "total_input_tokens"},
        {"total generated tokens", "total_output_tokens"},
        {"request rate configured (rps)", "request_rate"},
        {"maximum request concurrency", "max_concurrency"},
        {"request throughput (req/s)", "throughput req/s"},
        {"output token throughput (tok/s)", "throughput out tok/s"},
        {"total token throughput (tok/s)", "throughput total tok/s"}};
    if (const auto found = plain.find(label); found != plain.end()) return found->second;
    for (const auto& [there, here] : bench_latencies()) {
      for (const auto& [statistic, name] : bench_statistics()) {
        if (label == fmt::format("{} {} (ms)", statistic, there)) return here + " " + name;
      }
    }
    return "";
  }

  void put(const std::string& place, double value) {
    const auto count = static_cast<std::int64_t>(std::min(value, 1e15));
    if (place == "completed") run_->completed = count;
    if (place == "total_input_tokens") run_->input_tokens = count;
    if (place == "total_output_tokens") run_->output_tokens = count;
    if (place == "duration") run_->duration = value * unit::s;
    if (place == "request_rate" && value > 0) run_->request_rate = value * unit::per_s;
    if (place == "max_concurrency" && count > 0) run_->clients = count;
    const std::size_t space = place.find(' ');
    if (space == std::string::npos || value == 0) return;
    const std::string metric = place.substr(0, space);
    run_->figures.push_back(
        {metric, place.substr(space + 1), metric == "throughput" ? value : 1e-3 * value});
  }

  std::string file_, name_;
  std::size_t number_ = 0, blocks_ = 0;
  Announced said_;
  std::optional<ServedRun> run_;
  std::vector<std::string> seen_;
  std::vector<ServedRun> runs_;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<ServedRun> vllm_bench_text(const std::filesystem::path& file, const std::string& text) {
  refuse_foreign(file, text);
  BlockReader reader(file);
  std::size_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    reader.line(rest.substr(0, end), ++number);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return reader.end();
}

}  // namespace gpucap::calibrate

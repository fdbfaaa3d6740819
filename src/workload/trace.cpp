#include "gpucap/workload/trace.hpp"

#include "gpucap/core/error.hpp"
#include "gpucap/core/nearest_name.hpp"

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "trace_row.hpp"
#include "trace_stream.hpp"
#include <fmt/format.h>

namespace gpucap::workload {
namespace {

constexpr std::string_view format_names[] = {"azure", "vidur", "mooncake", "gpucap"};

// Mooncake's published traces hash blocks of 512 tokens; 16 is the block of a paged KV cache.
constexpr std::int64_t mooncake_block_tokens = 512;
constexpr std::int64_t gpucap_block_tokens = 16;

bool names_blocks(TraceFormat format) {
  return format == TraceFormat::mooncake || format == TraceFormat::gpucap;
}

void check(const TraceOptions& options) {
  std::vector<Problem> problems;
  const auto complain = [&](const char* option, std::string message) {
    problems.push_back({"", "", option, std::move(message), "out-of-range"});
  };
  if (!(options.rate_scale > 0 && std::isfinite(options.rate_scale))) {
    complain("rate_scale", fmt::format("{} is not a number above 0", options.rate_scale));
  }
  if (options.limit && *options.limit < 1) {
    complain("limit", fmt::format("{} is below 1", *options.limit));
  }
  if (options.block_tokens && *options.block_tokens < 1) {
    complain("block_tokens", fmt::format("{} is below 1", *options.block_tokens));
  }
  if (options.block_tokens && !names_blocks(options.format)) {
    complain("block_tokens", fmt::format("{} traces name no blocks", name(options.format)));
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

std::unique_ptr<RowReader> open_rows(LineReader lines, const TraceOptions& options) {
  if (options.format == TraceFormat::mooncake) {
    return read_mooncake(std::move(lines), options.block_tokens.value_or(mooncake_block_tokens));
  }
  return read_csv(std::move(lines), options.format,
                  options.block_tokens.value_or(gpucap_block_tokens));
}

/// Turns rows into requests: order, dropping, scaling, numbering.
class TraceStream final : public RequestStream {
 public:
  TraceStream(LineReader lines, const TraceOptions& options)
      : rate_scale_(options.rate_scale),
        limit_(options.limit.value_or(-1)),
        rows_(open_rows(std::move(lines), options)) {
    if (!find_request()) throw InputError(nothing_to_do());
    static_cast<void>(scaled(rows_ahead_[at_].arrival));  // complains now if ever
  }

  std::optional<Request> next() override {
    if (issued_ == limit_ || !find_request()) return std::nullopt;
    return taken();
  }

  [[nodiscard]] std::int64_t block_tokens() const override { return rows_->block_tokens(); }
  [[nodiscard]] std::int64_t dropped() const override { return dropped_; }

 private:
  /// Moves to the next row that is a request; false at the end of the file.
  bool find_request() {
    for (; at_ < count_ || read_rows(); ++at_) {
      const PlainRow& row = rows_ahead_[at_];
      if (row.prompt_tokens != 0 && row.output_tokens != 0) return true;
      ++dropped_;
    }
    return false;
  }

  [[gnu::noinline]] bool read_rows() {  // rare: next() is smaller without it
    at_ = 0;
    row_.blocks.clear();
    count_ = rows_->next_plain(rows_ahead_);
    if (count_ > 0) {
      latest_ = rows_ahead_[count_ - 1].arrival;
    } else if (rows_->next(row_)) {
      check_order();
      rows_ahead_[count_++] = {row_.arrival, static_cast<std::int32_t>(row_.prompt_tokens),
                               static_cast<std::int32_t>(row_.output_tokens)};
    }
    return count_ > 0;
  }

  std::optional<Request> taken() {
    const PlainRow& row = rows_ahead_[at_++];
    std::optional<Request> request(std::in_place);
    request->id = issued_++;
    request->arrival = scaled(row.arrival);
    request->prompt_tokens = row.prompt_tokens;
    request->output_tokens = row.output_tokens;
    // Copied rather than moved: one allocation of the right size, and the row keeps its room.
    if (!row_.blocks.empty()) request->prompt_blocks = row_.blocks;
    return request;
  }

  void check_order() {
    if (row_.arrival < latest_) refuse_order();
    latest_ = row_.arrival;
  }

  [[noreturn]] void refuse_order() const {
    throw InputError(rows_->lines().problem(
        row_.arrival_place, rows_->arrival_column(),
        fmt::format("the row arrives {:.9g} s before the one above; sort the file by arrival",
                    as_seconds(SimTime{latest_.ns - row_.arrival.ns})),
        "unsorted"));
  }

  [[nodiscard]] SimTime scaled(SimTime arrival) const {
    return rate_scale_ == 1 ? arrival : scaled_arrival(arrival, rate_scale_);
  }

  [[nodiscard]] Problem nothing_to_do() const {
    const std::string why =
        dropped_ == 0
            ? "the trace has no rows"
            : fmt::format("none of {} rows asks for both prompt and output tokens", dropped_);
    return rows_->lines().problem({rows_->lines().number() + 1, 1}, "", why, "empty-trace");
  }

  double rate_scale_;
  std::int64_t limit_;  ///< -1: none
  std::unique_ptr<RowReader> rows_;
  TraceRow row_;  ///< the last one that was read by itself; its blocks are those of rows_ahead_[0]
  SimTime latest_;
  std::int64_t issued_ = 0;
  std::int64_t dropped_ = 0;
  std::array<PlainRow, 256> rows_ahead_;
  std::size_t at_ = 0, count_ = 0;  ///< of them: the next one, and how many were read
};

}  // namespace

std::string_view name(TraceFormat format) {
  return format_names[static_cast<int>(format)];
}

std::vector<std::string> trace_format_names() {
  return {std::begin(format_names), std::end(format_names)};
}

Parsed<TraceFormat> parse_trace_format(std::string_view text) {
  for (const auto format :
       {TraceFormat::azure, TraceFormat::vidur, TraceFormat::mooncake, TraceFormat::gpucap}) {
    if (name(format) == text) return format;
  }
  return ParseFailure{unknown_name("trace format", text, trace_format_names()), "unknown-name"};
}

SimTime scaled_arrival(SimTime arrival, double rate_scale) {
  if (rate_scale == 1) return arrival;
  const Parsed<SimTime> at =
      checked_arrival(static_cast<double>(arrival.ns) / rate_scale * unit::ns);
  if (at) return *at;
  throw InputError(Problem{"", "", "rate_scale", at.failure().message, at.failure().code});
}

std::unique_ptr<RequestStream> open_trace(LineReader lines, const TraceOptions& options) {
  check(options);
  return std::make_unique<TraceStream>(std::move(lines), options);
}

std::unique_ptr<RequestStream> open_trace(const std::filesystem::path& path,
                                          const TraceOptions& options) {
  check(options);
  return open_trace(LineReader(path), options);
}

}  // namespace gpucap::workload

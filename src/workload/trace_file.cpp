#include "gpucap/workload/trace_file.hpp"

#include "gpucap/core/sha256.hpp"

#include <utility>

#include "trace_row.hpp"
#include "trace_stream.hpp"
#include <fmt/format.h>

namespace gpucap::workload {
namespace {

// 16 MiB. Beyond them reading again costs little beside simulating, and memory would grow with the
// trace.
constexpr std::size_t most_kept = 1 << 20;

/// Requests that were kept, once more.
class KeptRequests final : public RequestStream {
 public:
  KeptRequests(std::shared_ptr<const std::vector<PlainRow>> rows, double rate_scale,
               std::int64_t block_tokens, std::int64_t dropped)
      : rows_(std::move(rows)),
        rate_scale_(rate_scale),
        block_tokens_(block_tokens),
        dropped_(dropped) {}

  std::optional<Request> next() override {
    if (at_ == rows_->size()) return std::nullopt;
    return taken();
  }
  [[nodiscard]] std::int64_t block_tokens() const override { return block_tokens_; }
  [[nodiscard]] std::int64_t dropped() const override { return dropped_; }

 private:
  std::optional<Request> taken() {
    const PlainRow& row = (*rows_)[at_];
    std::optional<Request> request(std::in_place);
    request->id = static_cast<std::int64_t>(at_++);
    request->arrival = scaled_arrival(row.arrival, rate_scale_);
    request->prompt_tokens = row.prompt_tokens;
    request->output_tokens = row.output_tokens;
    return request;
  }

  std::shared_ptr<const std::vector<PlainRow>> rows_;
  double rate_scale_;
  std::int64_t block_tokens_, dropped_;
  std::size_t at_ = 0;
};

}  // namespace

TraceFile::TraceFile(std::filesystem::path path, const TraceOptions& options)
    : path_(std::move(path)), options_(options) {
  options_.rate_scale = 1;
  Sha256 hash;
  const auto file = std::make_shared<RawFile>(path_, &hash);
  try {
    const auto requests = open_trace(LineReader(path_, file), options_);
    block_tokens_ = requests->block_tokens();
    keep(*requests);
    file->skip_rest();
    sha256_ = hash.hex();
  } catch (const InputError& error) {
    fault_ = error;
  }
}

void TraceFile::keep(RequestStream& requests) {
  auto rows = std::make_shared<std::vector<PlainRow>>();
  while (const auto request = requests.next()) {
    last_ = request->arrival;
    if (!rows) continue;
    if (rows->size() == most_kept || !request->prompt_blocks.empty()) {
      rows.reset();
    } else {
      rows->push_back({request->arrival, static_cast<std::int32_t>(request->prompt_tokens),
                       static_cast<std::int32_t>(request->output_tokens)});
    }
  }
  dropped_ = requests.dropped();
  rows_ = std::move(rows);
  if (rows_ || std::filesystem::is_regular_file(path_)) return;
  throw InputError(Problem{path_.string(), "", "",
                           fmt::format("is no regular file, so it cannot be read a second time as "
                                       "block ids or more than {} requests need; store it first",
                                       most_kept),
                           "not-a-file"});
}

std::int64_t TraceFile::block_tokens() const {
  if (!block_tokens_) throw *fault_;
  return *block_tokens_;
}

void TraceFile::check(double rate_scale) const {
  if (fault_) throw *fault_;
  if (checked_arrival(static_cast<double>(last_.ns) / rate_scale * unit::ns)) return;
  const auto requests = open(rate_scale);
  while (requests->next()) {  // names the first one that is too late
  }
}

std::unique_ptr<RequestStream> TraceFile::open(double rate_scale) const {
  if (fault_) throw *fault_;
  if (rows_) {
    return std::make_unique<KeptRequests>(rows_, rate_scale, *block_tokens_, dropped_);
  }
  TraceOptions options = options_;
  options.rate_scale = rate_scale;
  return open_trace(path_, options);
}

}  // namespace gpucap::workload

#include "gpucap/workload/generator.hpp"

#include "gpucap/core/error.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace gpucap::workload {
namespace {

void require_at_least(std::int64_t least, std::int64_t value, std::string_view what,
                      std::vector<Problem>& problems) {
  if (value >= least) return;
  problems.push_back(
      {"", "", std::string(what), fmt::format("{} is below {}", value, least), "out-of-range"});
}

void check(const GeneratorSpec& spec) {
  std::vector<Problem> problems;
  require_at_least(1, spec.requests, "requests", problems);
  if (const auto& prefix = spec.shared_prefix) {
    require_at_least(0, prefix->tokens, "shared_prefix_tokens", problems);
    require_at_least(1, prefix->block_tokens, "block_tokens", problems);
    require_at_least(1, prefix->groups, "shared_prefix_groups", problems);
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

/// Names the blocks of prompts: group g owns the ids g * blocks .. (g + 1) * blocks - 1, everything
/// else is an id that never comes again.
class BlockNamer {
 public:
  BlockNamer(std::uint64_t seed, const SharedPrefix& prefix)
      : prefix_(prefix),
        shared_blocks_(prefix.tokens / prefix.block_tokens),
        next_unique_(prefix.groups * shared_blocks_),
        random_(seed, "prefixes") {}

  [[nodiscard]] std::int64_t block_tokens() const { return prefix_.block_tokens; }

  std::vector<std::uint64_t> name(std::int64_t prompt_tokens) {
    const std::int64_t group = random_.uniform_int(0, prefix_.groups - 1);
    // Only whole blocks are shared: the last block of a prompt inside the prefix has an end of its
    // own.
    const std::int64_t shared = std::min(shared_blocks_, prompt_tokens / prefix_.block_tokens);
    const std::int64_t count =
        prompt_tokens / prefix_.block_tokens + (prompt_tokens % prefix_.block_tokens != 0);
    std::vector<std::uint64_t> blocks;
    blocks.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t id = i < shared ? group * shared_blocks_ + i : next_unique_++;
      blocks.push_back(static_cast<std::uint64_t>(id));
    }
    return blocks;
  }

 private:
  SharedPrefix prefix_;
  std::int64_t shared_blocks_;
  std::int64_t next_unique_;
  RandomStream random_;
};

class Generator final : public RequestStream {
 public:
  explicit Generator(const GeneratorSpec& spec)
      : requests_(spec.requests),
        clock_(spec.seed, spec.arrivals),
        lengths_(spec.seed, spec.prompt_tokens, spec.output_tokens) {
    if (spec.shared_prefix) namer_.emplace(spec.seed, *spec.shared_prefix);
  }

  std::optional<Request> next() override {
    if (issued_ == requests_) return std::nullopt;
    const auto [prompt, output] = lengths_.next();
    Request request{issued_++, clock_.next(), prompt, output, {}};
    if (namer_) request.prompt_blocks = namer_->name(prompt);
    return request;
  }

  [[nodiscard]] std::int64_t block_tokens() const override {
    return namer_ ? namer_->block_tokens() : 0;
  }

 private:
  std::int64_t requests_;
  std::int64_t issued_ = 0;
  ArrivalClock clock_;
  LengthSampler lengths_;
  std::optional<BlockNamer> namer_;
};

}  // namespace

Load generate(const GeneratorSpec& spec) {
  check(spec);
  return {std::make_unique<Generator>(spec), spec.arrivals.clients()};
}

}  // namespace gpucap::workload

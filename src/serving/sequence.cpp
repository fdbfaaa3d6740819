#include "gpucap/serving/sequence.hpp"

#include <algorithm>
#include <optional>

namespace gpucap::serving {
namespace {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  // The finaliser of splitmix64 over a combination that is not symmetric.
  std::uint64_t z = a * 0x9e3779b97f4a7c15u + b + 0x7f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return z == 0 ? 1 : z;  // 0 means "no hash"
}

/// Identity of the tokens [first, first + block_tokens) of a prompt, if the stream names them all.
std::optional<std::uint64_t> content_of(const workload::Request& request, std::int64_t first,
                                        std::int64_t block_tokens, std::int64_t id_tokens) {
  if (id_tokens == 0 || first + block_tokens > request.prompt_tokens) return std::nullopt;
  std::uint64_t content = 0;
  for (std::int64_t token = first; token < first + block_tokens;) {
    const std::int64_t index = token / id_tokens;
    if (index >= static_cast<std::int64_t>(request.prompt_blocks.size())) return std::nullopt;
    const auto id = request.prompt_blocks[static_cast<std::size_t>(index)];
    content = mix(content, mix(id, static_cast<std::uint64_t>(token % id_tokens)));
    token = std::min(first + block_tokens, (index + 1) * id_tokens);
  }
  return content;
}

}  // namespace

void hash_prompt(Sequence& sequence, std::int64_t block_tokens, std::int64_t id_tokens) {
  if (sequence.hashed) return;
  sequence.hashed = true;
  for (std::int64_t first = 0;; first += block_tokens) {
    const auto content = content_of(sequence.request, first, block_tokens, id_tokens);
    if (!content) return;
    const std::uint64_t parent = sequence.hashes.empty() ? 0 : sequence.hashes.back();
    sequence.hashes.push_back(mix(parent, *content));
  }
}

bool block_sizes_agree(std::int64_t block_tokens, std::int64_t id_tokens) {
  return id_tokens == 0 || block_tokens % id_tokens == 0 || id_tokens % block_tokens == 0;
}

}  // namespace gpucap::serving

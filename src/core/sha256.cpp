#include "gpucap/core/sha256.hpp"

#include <array>

#include <fmt/format.h>
// The newer interface finds and sets up its providers first, which takes longer than all else that
// a small run does before it simulates; this one is kept for programs that only hash.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

namespace gpucap {

struct Sha256::State {
  SHA256_CTX context;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  SHA256_Init(&state_->context);
}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) {
  SHA256_Update(&state_->context, bytes.data(), bytes.size());
}

std::string Sha256::hex() {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256_Final(digest.data(), &state_->context);
  std::string text;
  for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.hex();
}

}  // namespace gpucap

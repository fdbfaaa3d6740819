#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace gpucap {

/// SHA-256 (FIPS 180-4) of bytes that come piece by piece.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view bytes);
  /// Lower-case hex of all that was added; nothing can be added after it.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Lower-case hex SHA-256 of the bytes, for `inputs_sha256`.
std::string sha256_hex(std::string_view bytes);

}  // namespace gpucap

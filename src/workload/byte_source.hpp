#pragma once

#include "gpucap/core/sha256.hpp"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>

namespace gpucap::workload {

/// The bytes of a file or pipe as they are stored. The first ones can be looked at although nothing
/// goes back into a pipe.
class RawFile {
 public:
  /// Everything that is read is added to `hash`, where there is one. InputError when the file
  /// cannot be opened.
  explicit RawFile(const std::filesystem::path& path, Sha256* hash = nullptr);

  /// Only before the first read.
  [[nodiscard]] bool starts_with(std::string_view magic) const {
    return std::string_view(head_, head_left_).starts_with(magic);
  }
  /// Fills `size` bytes at `to`, or fewer at the end; returns how many.
  std::size_t read(char* to, std::size_t size);
  /// Reads what is left, for the hash.
  void skip_rest();

 private:
  std::size_t get(char* to, std::size_t size);

  std::ifstream in_;
  Sha256* hash_;
  char head_[4] = {};
  std::size_t head_left_ = 0;
};

/// The bytes of a file from first to last, decompressed where it is compressed.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills `size` bytes at `to`, or fewer at the end of the data; returns how many, 0 from then on.
  /// std::ios_base::failure when the compressed data is damaged or ends too early.
  virtual std::size_t read(char* to, std::size_t size) = 0;
};

/// Reads a plain, gzip or zstd file, told by its first bytes.
std::unique_ptr<ByteSource> open_bytes(std::shared_ptr<RawFile> file);

}  // namespace gpucap::workload

#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

namespace gpucap::workload {

/// The bytes of a file from first to last, decompressed where it is compressed.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills `size` bytes at `to`, or fewer at the end of the data; returns how many, 0 from then on.
  /// std::ios_base::failure when the compressed data is damaged or ends too early.
  virtual std::size_t read(char* to, std::size_t size) = 0;
};

/// Opens a file or pipe, plain, gzip or zstd (told by the first bytes). InputError when it cannot
/// be read.
std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& path);

}  // namespace gpucap::workload

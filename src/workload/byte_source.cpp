#include "byte_source.hpp"

#include "gpucap/core/error.hpp"
#include "gpucap/core/file.hpp"

#include <algorithm>
#include <cstring>
#include <ios>
#include <new>
#include <string_view>
#include <utility>
#include <vector>
#include <zlib.h>
#include <zstd.h>

namespace gpucap::workload {
namespace {

// Enough that a call of the system costs nothing beside the copying of its bytes.
constexpr std::size_t packed_bytes = 1 << 16;

class PlainBytes final : public ByteSource {
 public:
  explicit PlainBytes(std::shared_ptr<RawFile> file) : file_(std::move(file)) {}
  std::size_t read(char* to, std::size_t size) override { return file_->read(to, size); }

 private:
  std::shared_ptr<RawFile> file_;
};

/// Compressed bytes of a file, a block at a time.
class PackedBlocks {
 public:
  explicit PackedBlocks(std::shared_ptr<RawFile> file)
      : file_(std::move(file)), block_(packed_bytes) {}

  /// The next block; empty at the end of the file.
  std::string_view next() { return {block_.data(), file_->read(block_.data(), block_.size())}; }

 private:
  std::shared_ptr<RawFile> file_;
  std::vector<char> block_;
};

/// By zlib itself, into the buffer of the lines: a filter of Boost would copy the text once more.
class GzipBytes final : public ByteSource {
 public:
  explicit GzipBytes(std::shared_ptr<RawFile> file) : blocks_(std::move(file)) {
    constexpr int gzip_only = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, gzip_only) != Z_OK) throw std::bad_alloc();
  }
  ~GzipBytes() override { inflateEnd(&stream_); }
  GzipBytes(const GzipBytes&) = delete;
  GzipBytes& operator=(const GzipBytes&) = delete;

  std::size_t read(char* to, std::size_t size) override {
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out > 0 && refill()) inflate_some();
    return size - stream_.avail_out;
  }

 private:
  /// False at the end of the file.
  bool refill() {
    if (stream_.avail_in > 0) return true;
    const std::string_view block = blocks_.next();
    // zlib promises not to write there.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(block.data()));
    stream_.avail_in = static_cast<uInt>(block.size());
    if (block.empty() && open_) throw std::ios_base::failure("gzip member without end");
    return !block.empty();
  }

  /// Further members may follow the first one, as `cat a.gz b.gz` makes them.
  void inflate_some() {
    open_ = true;
    const int state = inflate(&stream_, Z_NO_FLUSH);
    if (state == Z_STREAM_END) {
      open_ = false;
      inflateReset(&stream_);
    } else if (state != Z_OK) {
      throw std::ios_base::failure("gzip data is damaged");
    }
  }

  PackedBlocks blocks_;
  z_stream stream_{};
  bool open_ = false;  ///< a member has begun and not ended
};

/// Boost's filter takes the end of the data for the end of a frame, so that a file that was cut
/// short would pass for a shorter trace.
class ZstdBytes final : public ByteSource {
 public:
  explicit ZstdBytes(std::shared_ptr<RawFile> file) : blocks_(std::move(file)) {}

  std::size_t read(char* to, std::size_t size) override {
    ZSTD_outBuffer target{to, size, 0};
    while (target.pos < target.size && refill()) decompress_some(target);
    return target.pos;
  }

 private:
  /// False when nothing is left: no input and nothing held back by the library.
  bool refill() {
    if (source_.pos < source_.size || full_) return true;
    const std::string_view block = blocks_.next();
    source_ = {block.data(), block.size(), 0};
    if (block.empty() && open_) throw std::ios_base::failure("zstd frame without end");
    return !block.empty();
  }

  void decompress_some(ZSTD_outBuffer& target) {
    const std::size_t left = ZSTD_decompressStream(stream_.get(), &target, &source_);
    if (ZSTD_isError(left)) throw std::ios_base::failure(ZSTD_getErrorName(left));
    open_ = left != 0;
    full_ = open_ && target.pos == target.size;
  }

  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  PackedBlocks blocks_;
  std::unique_ptr<ZSTD_DStream, Free> stream_{ZSTD_createDStream()};
  ZSTD_inBuffer source_{};
  bool open_ = false;  ///< a frame has begun and not ended
  bool full_ = false;  ///< the last call filled its target, so that it may have more to give
};

}  // namespace

RawFile::RawFile(const std::filesystem::path& path, Sha256* hash)
    : in_(path, std::ios::binary), hash_(hash) {
  std::error_code ignored;
  if (!in_ || std::filesystem::is_directory(path, ignored)) throw InputError(unreadable(path));
  head_left_ = get(head_, sizeof head_);
}

std::size_t RawFile::read(char* to, std::size_t size) {
  const std::size_t first = std::min(size, head_left_);
  std::memcpy(to, head_, first);
  std::memmove(head_, head_ + first, head_left_ - first);
  head_left_ -= first;
  return first + get(to + first, size - first);
}

void RawFile::skip_rest() {
  std::vector<char> block(packed_bytes);
  while (read(block.data(), block.size()) > 0) {
  }
}

std::size_t RawFile::get(char* to, std::size_t size) {
  const auto got =
      std::max<std::streamsize>(0, in_.rdbuf()->sgetn(to, static_cast<std::streamsize>(size)));
  if (hash_ != nullptr) hash_->add({to, static_cast<std::size_t>(got)});
  return static_cast<std::size_t>(got);
}

std::unique_ptr<ByteSource> open_bytes(std::shared_ptr<RawFile> file) {
  // RFC 1952 and RFC 8878.
  if (file->starts_with("\x1f\x8b")) return std::make_unique<GzipBytes>(std::move(file));
  if (file->starts_with("\x28\xb5\x2f\xfd")) return std::make_unique<ZstdBytes>(std::move(file));
  return std::make_unique<PlainBytes>(std::move(file));
}

}  // namespace gpucap::workload

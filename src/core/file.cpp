#include "gpucap/core/file.hpp"

#include "gpucap/core/error.hpp"

#include <algorithm>
#include <fstream>

namespace gpucap {
namespace {

constexpr std::size_t smallest_read = std::size_t{16} << 10;

std::ifstream opened(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::error_code ignored;
  if (!in || std::filesystem::is_directory(path, ignored)) throw InputError(unreadable(path));
  return in;
}

/// The content beside the target, under the name that is returned.
std::filesystem::path written_aside(const std::filesystem::path& path, std::string_view content) {
  std::error_code absent;
  const auto there = std::filesystem::status(path, absent);
  // A folder cannot be replaced, and a device or a pipe must not be.
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there)) {
    throw InputError(Problem{path.string(), "", "", "is there and is no file", "unwritable-file"});
  }
  std::filesystem::path aside = path;
  aside += ".part";
  std::ofstream out(aside, std::ios::binary | std::ios::trunc);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  if (!out) {
    std::error_code ignored;
    std::filesystem::remove(aside, ignored);
    throw InputError(Problem{path.string(), "", "", "cannot be written", "unwritable-file"});
  }
  return aside;
}

}  // namespace

Problem unreadable(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto problem = [&](const char* message, const char* code) {
    return Problem{path.string(), "", "", message, code};
  };
  if (std::filesystem::is_directory(path, ignored)) {
    return problem("is a directory, not a file", "not-a-file");
  }
  if (!std::filesystem::exists(path, ignored)) {
    return problem("there is no such file", "missing-file");
  }
  return problem("cannot be read", "missing-file");
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in = opened(path);
  std::string content;
  for (std::size_t size = 0; in;) {  // a pipe has no size to ask for
    content.resize(std::max(smallest_read, 2 * size));
    in.read(content.data() + size, static_cast<std::streamsize>(content.size() - size));
    size += static_cast<std::size_t>(in.gcount());
    if (!in) content.resize(size);
  }
  return content;
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  const auto aside = written_aside(path, content);
  std::filesystem::rename(aside, path);
}

void require_writable(const std::filesystem::path& path) {
  std::filesystem::remove(written_aside(path, ""));
}

}  // namespace gpucap

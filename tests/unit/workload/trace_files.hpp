#pragma once

#include "gpucap/core/error.hpp"
#include "gpucap/core/file.hpp"
#include "gpucap/workload/trace.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace gpucap::workload {

/// A file in a temporary folder of this process that goes when the test ends; names must differ
/// between tests.
class TemporaryFile {
 public:
  TemporaryFile(std::string_view name, std::string_view content)
      : path_(std::filesystem::temp_directory_path() / ("gpucap-" + std::to_string(getpid())) /
              name) {
    std::filesystem::create_directories(path_.parent_path());
    write_file(path_, content);
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
    std::filesystem::remove(path_.parent_path(), ignored);  // when it was the last one in there
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::vector<Request> all_of(RequestStream& stream) {
  std::vector<Request> requests;
  while (auto request = stream.next()) requests.push_back(std::move(*request));
  return requests;
}

inline std::vector<Request> read_all(const std::filesystem::path& path,
                                     const TraceOptions& options) {
  return all_of(*open_trace(path, options));
}

/// What reading a whole trace complains of, without the folder of the file; empty when it is good.
inline std::string complaint(const std::filesystem::path& path, const TraceOptions& options) {
  try {
    read_all(path, options);
    return "";
  } catch (const InputError& error) {
    std::string text = error.what();
    std::string folder = path.parent_path().string();
    folder += '/';
    for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder)) {
      text.erase(at, folder.size());
    }
    return text;
  }
}

}  // namespace gpucap::workload

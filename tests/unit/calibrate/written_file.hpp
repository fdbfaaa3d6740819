#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace gpucap::test {

/// A file in the temporary folder that goes away with the test.
class WrittenFile {
 public:
  explicit WrittenFile(const std::string& content, const std::string& name = "table.csv")
      : folder_(std::filesystem::temp_directory_path() /
                ("gpucap-calibrate-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    path_ = folder_ / name;
    std::ofstream(path_, std::ios::binary) << content;
  }
  WrittenFile(const WrittenFile&) = delete;
  WrittenFile& operator=(const WrittenFile&) = delete;
  ~WrittenFile() { std::filesystem::remove_all(folder_); }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path folder_;
  std::filesystem::path path_;
};

}  // namespace gpucap::test

#pragma once

#include "gpucap/core/error.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace gpucap {

/// Why a file could not be opened: it is not there, is a folder, or may not be read.
Problem unreadable(const std::filesystem::path& path);

/// Whole content of a file; an unreadable one is an InputError that names it.
std::string read_file(const std::filesystem::path& path);

/// Writes beside the target and renames, so that no reader ever sees half a file.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Throws what write_file would throw: before something that takes long is begun.
void require_writable(const std::filesystem::path& path);

}  // namespace gpucap

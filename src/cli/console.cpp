#include "gpucap/cli/console.hpp"

#include "gpucap/units/parse.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/ioctl.h>
#include <system_error>
#include <unistd.h>

namespace gpucap::cli {
namespace {

std::optional<std::size_t> terminal_width() {
  if (isatty(STDOUT_FILENO) == 0) return std::nullopt;
  if (const char* set = std::getenv("COLUMNS")) {
    const auto columns = parse_count(set);
    if (columns && *columns > 0) return static_cast<std::size_t>(*columns);
  }
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

}  // namespace

Console::Console() : width_(terminal_width()), stderr_is_terminal_(isatty(STDERR_FILENO) != 0) {}

void Console::print(std::string_view text) {
  const bool whole = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (whole && std::fflush(stdout) == 0) return;
  if (errno == EPIPE) throw BrokenPipe{};
  throw std::system_error(errno, std::generic_category(), "standard output cannot be written");
}

void Console::note(std::string_view line) {
  if (!quiet_) complain(line);
}

void Console::overwrite(std::string_view text) {
  const std::string whole = "\r" + std::string(text);
  std::fwrite(whole.data(), 1, whole.size(), stderr);
}

void Console::complain(std::string_view line) {
  const std::string whole = std::string(line) + "\n";
  std::fwrite(whole.data(), 1, whole.size(), stderr);
}

}  // namespace gpucap::cli

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gpucap::cli {

/// The reader of standard output went away (`| head -1`): stop in silence.
struct BrokenPipe {};

/// Where a command prints: results to standard output, notes and errors to standard error. No
/// escape codes are ever sent, so NO_COLOR, TERM=dumb and pipes need no special care.
class Console {
 public:
  Console();

  /// Results. Throws BrokenPipe, or std::system_error when the output cannot be written.
  void print(std::string_view text);
  /// A line of diagnostics; nothing with --quiet.
  void note(std::string_view line);
  /// A line that --quiet does not silence.
  void complain(std::string_view line);

  /// Puts the text over the line of standard error that is being written, without ending it.
  void overwrite(std::string_view text);

  void be_quiet() { quiet_ = true; }
  [[nodiscard]] bool quiet() const { return quiet_; }
  /// Columns of the terminal that standard output is; absent for files and pipes, which get
  /// everything. The environment variable COLUMNS overrides the terminal's own answer.
  [[nodiscard]] std::optional<std::size_t> width() const { return width_; }
  [[nodiscard]] bool stderr_is_terminal() const { return stderr_is_terminal_; }

 private:
  std::optional<std::size_t> width_;
  bool stderr_is_terminal_ = false;
  bool quiet_ = false;
};

}  // namespace gpucap::cli

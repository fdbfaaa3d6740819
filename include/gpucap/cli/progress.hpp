#pragma once

#include "gpucap/cli/console.hpp"

#include <chrono>
#include <cstddef>
#include <string>

namespace gpucap::cli {

/// How far a run is, on standard error: a bar on a terminal, elsewhere a plain line each 10 % or
/// 30 s. Nothing in the first half second, nothing with --quiet. It never reaches a result.
class Progress {
 public:
  Progress(Console& console, std::size_t points);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// One more point is done.
  void advance();

 private:
  using Clock = std::chrono::steady_clock;
  void draw();
  void wipe();

  Console& console_;
  std::size_t points_, done_ = 0, told_percent_ = 0;
  Clock::time_point start_ = Clock::now(), told_ = start_;
  std::size_t drawn_ = 0;  ///< columns of the bar that stands on the terminal
};

}  // namespace gpucap::cli

#include "gpucap/cli/progress.hpp"

#include <fmt/format.h>

namespace gpucap::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 500ms;
constexpr auto longest_silence = 30s;
constexpr std::size_t step_percent = 10, bar_width = 26;

}  // namespace

Progress::Progress(Console& console, std::size_t points) : console_(console), points_(points) {}

Progress::~Progress() {
  wipe();
}

void Progress::advance() {
  ++done_;
  const auto now = Clock::now();
  if (console_.quiet() || done_ >= points_ || now - start_ < patience) return;
  if (console_.stderr_is_terminal()) return draw();
  const std::size_t percent = 100 * done_ / points_;
  if (percent < told_percent_ + step_percent && now - told_ < longest_silence) return;
  told_percent_ = percent;
  told_ = now;
  console_.note(fmt::format("{:>3} % {} of {} points", percent, done_, points_));
}

void Progress::draw() {
  const std::size_t filled = bar_width * done_ / points_;
  const std::string bar = fmt::format("{:>3} % [{:<{}}] {}/{} points", 100 * done_ / points_,
                                      std::string(filled, '#'), bar_width, done_, points_);
  console_.overwrite(bar);
  drawn_ = bar.size();
}

void Progress::wipe() {
  if (drawn_ == 0) return;
  console_.overwrite(std::string(drawn_, ' '));
  console_.overwrite("");
  drawn_ = 0;
}

}  // namespace gpucap::cli

// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "scenarios/command/answer.h"

namespace scenarios {
namespace {

constexpr std::chrono::milliseconds kTerminalInterval{250};
constexpr std::chrono::seconds kLogInterval{5};

std::string time_left(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s left", seconds);
  if (seconds < 5'400) return fmt::format("{:.0f} min left", seconds / 60);
  return fmt::format("{:.1f} h left", seconds / 3'600);
}

}  // namespace

Progress::Mode progress_mode(bool quiet) {
  if (quiet) return Progress::Mode::kNone;
  return ::isatty(STDERR_FILENO) == 1 ? Progress::Mode::kTerminal : Progress::Mode::kLog;
}

std::string progress_line(const Snapshot& snapshot, double seconds) {
  const std::size_t current = std::min(snapshot.cases_done + 1, snapshot.cases);
  std::string line = fmt::format("{} {}/{}", snapshot.noun, current, snapshot.cases);
  if (seconds <= 0) return line;
  if (snapshot.noun != "case" && snapshot.cases_done > 0) {
    const auto done = static_cast<double>(snapshot.cases_done);
    const double share = done / static_cast<double>(snapshot.cases);
    return line +
           fmt::format(", {:.0f} %, {}", 100 * share, time_left(seconds * (1 - share) / share));
  }
  if (snapshot.hops_expected <= 0 || snapshot.hops_done <= 0) return line;
  const double share = std::min(snapshot.hops_done / snapshot.hops_expected, 1.0);
  return line + fmt::format(", {:.0f} %, {:.1f} M packet-hops/s, {}", 100 * share,
                            snapshot.hops_done / seconds / 1e6,
                            time_left(seconds * (1 - share) / share));
}

Progress::~Progress() { clear(); }

void Progress::update(const Snapshot& snapshot) {
  if (mode_ == Mode::kNone) return;
  const Clock::time_point now = Clock::now();
  const bool terminal = mode_ == Mode::kTerminal;
  if (now - shown_ < (terminal ? Clock::duration(kTerminalInterval) : kLogInterval)) return;
  shown_ = now;
  const std::chrono::duration<double> elapsed = now - start_;
  const std::string line = progress_line(snapshot, elapsed.count());
  print_error(terminal ? "\r\x1b[K" + line : line + "\n");
  on_screen_ = terminal;
}

void Progress::say(const std::string& line) {
  if (mode_ == Mode::kNone) return;
  clear();
  print_error(line + "\n");
}

void Progress::clear() {
  if (on_screen_) print_error("\r\x1b[K");
  on_screen_ = false;
}

}  // namespace scenarios

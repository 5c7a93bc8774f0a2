// SPDX-License-Identifier: GPL-2.0-only
// How far a run is, on stderr: one line rewritten a few times a second on a terminal, else a line
// every few seconds. The only place, with the statistics of a run, that reads the wall clock.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace scenarios {

struct Snapshot {
  std::size_t cases_done = 0;
  std::size_t cases = 0;
  double hops_done = 0;
  double hops_expected = 0;
  std::string_view noun = "case";
};

class Progress {
 public:
  enum class Mode { kNone, kTerminal, kLog };

  explicit Progress(Mode mode) : mode_(mode), start_(Clock::now()), shown_(start_) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Call often: shows the snapshot when it is time to.
  void update(const Snapshot& snapshot);
  void say(const std::string& line);  // below what is shown, unless kNone

 private:
  using Clock = std::chrono::steady_clock;

  void clear();

  Mode mode_;
  Clock::time_point start_;
  Clock::time_point shown_;
  bool on_screen_ = false;
};

// kNone when `quiet`, else by what stderr is.
[[nodiscard]] Progress::Mode progress_mode(bool quiet);

// "case 3/8, 42 %, 18.2 M packet-hops/s, 12 s left"; without packet-hops "run 3/8, 25 %, 12 s left"
[[nodiscard]] std::string progress_line(const Snapshot& snapshot, double seconds);

}  // namespace scenarios

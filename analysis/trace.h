// SPDX-License-Identifier: GPL-2.0-only
// A timeline in the Trace Event format, as Perfetto and Chrome's tracing page load it
// ("Trace Event Format", Google, 2016): a process per case, threads for the streams of each rank,
// counters for how busy each link class was. Times in microseconds with six decimals: exact.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/results/outcome.h"

namespace analysis {

using TraceArgument = std::pair<std::string_view, std::string>;  // name; text or number in digits

class TraceWriter {
 public:
  // Numbers of processes and threads, in the order in which they are shown.
  int process(std::string_view name);
  int thread(int process, std::string_view name);
  // Spans of one thread may touch or hold each other, but not cross.
  void span(int process, int thread, std::string_view name, std::string_view category,
            std::int64_t begin_ps, std::int64_t end_ps,
            const std::vector<TraceArgument>& arguments);
  void counter(int process, std::string_view name, std::int64_t time_ps,
               std::int64_t parts_per_billion);

  // The whole file.
  [[nodiscard]] std::string finish() &&;

 private:
  void event(std::string text);

  std::string events_;
  int processes_ = 0;
  std::vector<int> threads_;  // by process
};

// Of all recorded cases: each rank's sends, as many threads as overlap, its reductions and copies,
// and the whole collective with size, algorithm, group and transfers. "" when nothing is recorded.
[[nodiscard]] std::string trace_of(const sim::Outcome& outcome);

}  // namespace analysis

// SPDX-License-Identifier: GPL-2.0-only
// Plays numbered jobs (the cases of a scenario, the runs of a study), one after another here or
// several at once in worker processes. What comes out does not depend on how many: results are kept
// by number and cross a pipe as bytes. A worker that dies takes only its job with it. Interrupting
// keeps what is finished.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/command/interrupts.h"
#include "scenarios/command/progress.h"
#include "sim/engine/run_control.h"

namespace scenarios {

struct Work {
  std::vector<std::uint64_t> weights;  // by job: larger ones start first
  // Plays one job in whichever process; puts its packet-hops into the last argument as soon as they
  // are known. Empty: stopped on the way, there is no result.
  std::function<std::optional<std::string>(std::size_t, sim::RunControl&,
                                           std::atomic<std::uint64_t>&)>
      play;
  std::function<std::string(std::size_t, std::string)> failed;  // job, why
  // Called in this process, once for each job that finished, in no particular order.
  std::function<void(std::size_t, std::string)> keep;
  std::string_view noun = "case";  // what progress calls a job
};

// In this process, in the order given. True when it was interrupted.
[[nodiscard]] bool play_here(const Work& work, Interrupts& interrupts, Progress& progress);
// In `jobs` processes, largest job first. True when it was interrupted.
[[nodiscard]] bool play_in_workers(const Work& work, std::size_t jobs, Interrupts& interrupts,
                                   Progress& progress);

}  // namespace scenarios

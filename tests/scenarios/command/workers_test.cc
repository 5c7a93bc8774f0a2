// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/workers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <optional>
#include <thread>

namespace scenarios {
namespace {

constexpr std::size_t kMoreThanAPipeHolds = 100'000;

Work numbered(std::size_t jobs) {
  Work work;
  for (std::size_t i = 0; i < jobs; ++i) work.weights.push_back(i);
  work.play = [](std::size_t number, sim::RunControl&, std::atomic<std::uint64_t>& expected) {
    expected = number + 1;
    return std::optional(std::to_string(number) + std::string(kMoreThanAPipeHolds, 'x'));
  };
  work.failed = [](std::size_t, const std::string& why) { return "failed: " + why; };
  return work;
}

struct Played {
  std::vector<std::optional<std::string>> results;
  bool interrupted = false;
};

Played play(Work work, std::size_t jobs) {
  Interrupts interrupts;
  Progress progress(Progress::Mode::kNone);
  Played played;
  played.results.resize(work.weights.size());
  work.keep = [&](std::size_t number, std::string bytes) {
    EXPECT_FALSE(played.results[number]) << "job " << number << " came twice";
    played.results[number] = std::move(bytes);
  };
  played.interrupted = jobs == 0 ? play_here(work, interrupts, progress)
                                 : play_in_workers(work, jobs, interrupts, progress);
  return played;
}

TEST(Workers, GiveTheSameForAnyNumberOfThem) {
  const Work work = numbered(13);
  const Played here = play(work, 0);
  ASSERT_EQ(here.results.size(), 13U);
  for (const std::size_t jobs : {1U, 2U, 5U}) EXPECT_TRUE(play(work, jobs).results == here.results);
}

TEST(Workers, AWorkerThatDiesTakesOnlyItsJobAlong) {
  Work work = numbered(7);
  const auto plain = work.play;
  work.play = [plain](std::size_t number, sim::RunControl& control,
                      std::atomic<std::uint64_t>& expected) {
    if (number == 2) ::kill(::getpid(), SIGKILL);
    if (number == 4) std::_Exit(3);
    return plain(number, control, expected);
  };
  const Played played = play(work, 2);
  ASSERT_EQ(played.results.size(), 7U);
  for (std::size_t i = 0; i < 7; ++i) {
    ASSERT_TRUE(played.results[i]);
    EXPECT_EQ(played.results[i]->starts_with("failed"), i == 2 || i == 4);
  }
  EXPECT_EQ(*played.results[2],
            "failed: the worker process was ended by signal 9 (Killed), perhaps because the "
            "machine ran out "
            "of memory");
  EXPECT_EQ(*played.results[4], "failed: the worker process ended with exit code 3");
}

// Plays until it is told to stop, except for job 0, which asks for that.
Work stopped_work() {
  Work work = numbered(3);
  const auto plain = work.play;
  work.weights = {9, 1, 1};
  const pid_t parent = ::getpid();
  work.play = [plain, parent](std::size_t number, sim::RunControl& control,
                              std::atomic<std::uint64_t>& expected) -> std::optional<std::string> {
    if (number == 0) return plain(number, control, expected);
    ::kill(parent, SIGINT);
    while (!control.stop) std::this_thread::yield();
    return std::nullopt;
  };
  return work;
}

TEST(Workers, InterruptingKeepsWhatIsFinished) {
  for (const std::size_t jobs : {0U, 1U}) {
    const Played played = play(stopped_work(), jobs);
    EXPECT_TRUE(played.interrupted);
    EXPECT_TRUE(played.results[0]);
    EXPECT_FALSE(played.results[1]);
    EXPECT_FALSE(played.results[2]);
  }
}

}  // namespace
}  // namespace scenarios

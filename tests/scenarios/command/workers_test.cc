// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/workers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <thread>

namespace scenarios {
namespace {

Work numbered(std::size_t cases) {
  Work work;
  for (std::size_t i = 0; i < cases; ++i) work.weights.push_back(i);
  work.play = [](std::size_t number, sim::RunControl&, std::atomic<std::uint64_t>& expected) {
    expected = number + 1;
    sim::CaseOutcome outcome;
    outcome.ranks = static_cast<std::int64_t>(number);
    outcome.failure.assign(100'000, 'x');  // more than a pipe holds
    return outcome;
  };
  work.failed = [](std::size_t number, std::string why) {
    sim::CaseOutcome outcome;
    outcome.verdict = sim::Verdict::kFailed;
    outcome.ranks = static_cast<std::int64_t>(number);
    outcome.failure = std::move(why);
    return outcome;
  };
  return work;
}

Played play(const Work& work, std::size_t jobs) {
  Interrupts interrupts;
  Progress progress(Progress::Mode::kNone);
  return jobs == 0 ? play_here(work, interrupts, progress)
                   : play_in_workers(work, jobs, interrupts, progress);
}

TEST(Workers, GiveTheSameForAnyNumberOfThem) {
  const Work work = numbered(13);
  const Played here = play(work, 0);
  ASSERT_EQ(here.cases.size(), 13U);
  for (const std::size_t jobs : {1U, 2U, 5U}) EXPECT_TRUE(play(work, jobs).cases == here.cases);
}

TEST(Workers, AWorkerThatDiesTakesOnlyItsCaseAlong) {
  Work work = numbered(7);
  const auto plain = work.play;
  work.play = [plain](std::size_t number, sim::RunControl& control,
                      std::atomic<std::uint64_t>& expected) {
    if (number == 2) ::kill(::getpid(), SIGKILL);
    if (number == 4) std::_Exit(3);
    return plain(number, control, expected);
  };
  const Played played = play(work, 2);
  ASSERT_EQ(played.cases.size(), 7U);
  for (std::size_t i = 0; i < 7; ++i) {
    ASSERT_TRUE(played.cases[i]);
    EXPECT_EQ(played.cases[i]->verdict == sim::Verdict::kFailed, i == 2 || i == 4);
  }
  EXPECT_EQ(
      played.cases[2]->failure,
      "the worker process was ended by signal 9 (Killed), perhaps because the machine ran out "
      "of memory");
  EXPECT_EQ(played.cases[4]->failure, "the worker process ended with exit code 3");
}

// Plays until it is told to stop, except for case 0, which asks for that.
Work stopped_work() {
  Work work = numbered(3);
  const auto plain = work.play;
  work.weights = {9, 1, 1};
  const pid_t parent = ::getpid();
  work.play = [plain, parent](std::size_t number, sim::RunControl& control,
                              std::atomic<std::uint64_t>& expected) {
    if (number == 0) return plain(number, control, expected);
    ::kill(parent, SIGINT);
    while (!control.stop) std::this_thread::yield();
    sim::CaseOutcome outcome;
    outcome.verdict = sim::Verdict::kInterrupted;
    return outcome;
  };
  return work;
}

TEST(Workers, InterruptingKeepsWhatIsFinished) {
  for (const std::size_t jobs : {0U, 1U}) {
    const Played played = play(stopped_work(), jobs);
    EXPECT_TRUE(played.interrupted);
    EXPECT_TRUE(played.cases[0]);
    EXPECT_FALSE(played.cases[1]);
    EXPECT_FALSE(played.cases[2]);
  }
}

}  // namespace
}  // namespace scenarios

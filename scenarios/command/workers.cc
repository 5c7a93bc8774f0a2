// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/workers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <numeric>
#include <utility>

#include "scenarios/command/board.h"
#include "sim/base/check.h"
#include "sim/results/codec.h"

namespace scenarios {
namespace {

constexpr int kTickMs = 100;
constexpr std::size_t kHeaderBytes = 2 * sizeof(std::uint64_t);  // case number, length
using Header = std::array<std::uint64_t, 2>;

void write_or_exit(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) ::_exit(1);  // the parent is gone
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

// The life of a worker process: takes cases until there are none or it is told to stop.
[[noreturn]] void serve(const Work& work, std::span<const std::size_t> order, Board& board,
                        Desk& desk, int pipe) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (!desk.control.stop) {
    const std::size_t next = board.take_next();
    if (next >= order.size()) break;
    const std::size_t number = order[next];
    desk.control.packet_hops = 0;
    desk.playing = static_cast<std::int64_t>(number);
    const std::string bytes =
        sim::encode_case(work.play(number, desk.control, board.expected()[number]));
    const Header header{number, bytes.size()};
    std::string record(kHeaderBytes, '\0');
    std::memcpy(record.data(), header.data(), kHeaderBytes);
    write_or_exit(pipe, record + bytes);
  }
  ::_exit(0);
}

std::string death_in_words(int status) {
  if (WIFEXITED(status)) {
    return fmt::format("the worker process ended with exit code {}", WEXITSTATUS(status));
  }
  const int signal = WTERMSIG(status);
  const char* guess = signal == SIGKILL   ? ", perhaps because the machine ran out of memory"
                      : signal == SIGABRT ? ", see its message above"
                                          : "";
  return fmt::format("the worker process was ended by signal {} ({}){}", signal,
                     ::strsignal(signal), guess);
}

// The parent's side: starts workers, gathers what they send, watches for interrupts.
class Crew {
 public:
  Crew(const Work& work, std::size_t jobs, Interrupts& interrupts, Progress& progress)
      : work_(work),
        progress_(progress),
        interrupts_(interrupts),
        board_(work.weights.size(), jobs),
        workers_(jobs) {
    order_.resize(work.weights.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(order_, std::greater(),
                             [&](std::size_t number) { return work.weights[number]; });
    played_.cases.resize(work.weights.size());
  }

  Played run() {
    for (std::size_t i = 0; i < workers_.size(); ++i) start(i);
    while (std::ranges::any_of(workers_, [](const Worker& worker) { return worker.pid > 0; })) {
      wait_for_news();
      progress_.update(board_.snapshot(
          work_.weights, [this](std::size_t number) { return played_.cases[number].has_value(); }));
    }
    finish();
    return std::move(played_);
  }

 private:
  struct Worker {
    pid_t pid = 0;  // 0: none
    int pipe = -1;
    std::string received;
  };

  void start(std::size_t i) {
    int ends[2];
    CHECK(::pipe2(ends, O_CLOEXEC) == 0);
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::close(ends[0]);
      serve(work_, order_, board_, board_.desks()[i], ends[1]);
    }
    ::close(ends[1]);
    if (pid < 0) {
      ::close(ends[0]);
      return;  // the others do its share; with none left `finish` tells
    }
    workers_[i] = {pid, ends[0], {}};
  }

  void wait_for_news() {
    std::vector<pollfd> fds{{interrupts_.fd(), POLLIN, 0}};
    std::vector<std::size_t> owners{0};
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (workers_[i].pid == 0) continue;
      fds.push_back({workers_[i].pipe, POLLIN, 0});
      owners.push_back(i);
    }
    if (::poll(fds.data(), fds.size(), kTickMs) <= 0) return;
    if (fds[0].revents != 0) interrupt();
    for (std::size_t i = 1; i < fds.size(); ++i) {
      if (fds[i].revents != 0) receive(owners[i]);
    }
  }

  void interrupt() {
    const int signal = interrupts_.take();
    if (signal == 0) return;
    if (played_.interrupted) {
      for (const Worker& worker : workers_) {
        if (worker.pid > 0) ::kill(worker.pid, SIGKILL);
      }
      interrupts_.die(signal);
    }
    played_.interrupted = true;
    progress_.say("ultrasim: stopping; finished cases are kept (again to end at once)");
    board_.stop();
  }

  void receive(std::size_t i) {
    Worker& worker = workers_[i];
    std::array<char, 65'536> buffer;
    const ssize_t size = ::read(worker.pipe, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) return;
    if (size > 0) {
      worker.received.append(buffer.data(), static_cast<std::size_t>(size));
      while (take_record(worker.received)) {
      }
      return;
    }
    bury(i);
  }

  bool take_record(std::string& received) {
    if (received.size() < kHeaderBytes) return false;
    Header header;
    std::memcpy(header.data(), received.data(), kHeaderBytes);
    const auto [number, length] = header;
    if (received.size() < kHeaderBytes + length) return false;
    CHECK(number < played_.cases.size());
    sim::Result<sim::CaseOutcome> outcome =
        sim::decode_case(std::string_view(received).substr(kHeaderBytes, length));
    keep(number,
         outcome.ok() ? std::move(outcome).value() : work_.failed(number, outcome.failure().what));
    received.erase(0, kHeaderBytes + length);
    return true;
  }

  void keep(std::size_t number, sim::CaseOutcome outcome) {
    // A case that was stopped on the way has no result.
    if (outcome.verdict == sim::Verdict::kInterrupted) return;
    played_.cases[number] = std::move(outcome);
  }

  // A worker closed its pipe: it is done, or it died and took its case along.
  void bury(std::size_t i) {
    Worker& worker = workers_[i];
    int status = 0;
    while (::waitpid(worker.pid, &status, 0) < 0 && errno == EINTR) {
    }
    ::close(worker.pipe);
    worker = {};
    const std::int64_t playing = board_.desks()[i].playing.exchange(kNoCase);
    const bool died = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    if (!died) return;
    if (playing != kNoCase && !played_.cases[static_cast<std::size_t>(playing)]) {
      const auto number = static_cast<std::size_t>(playing);
      // What it had still to do will not be done.
      board_.expected()[number] = board_.desks()[i].control.packet_hops.load();
      keep(number, work_.failed(number, death_in_words(status)));
    }
    if (!played_.interrupted && board_.more()) start(i);
  }

  // Every case has an outcome or the run was interrupted.
  void finish() {
    if (played_.interrupted) return;
    for (std::size_t number = 0; number < played_.cases.size(); ++number) {
      if (played_.cases[number]) continue;
      played_.cases[number] = work_.failed(number, "no worker process could play it");
    }
  }

  const Work& work_;
  Progress& progress_;
  Interrupts& interrupts_;
  Board board_;
  std::vector<Worker> workers_;
  std::vector<std::size_t> order_;
  Played played_;
};

}  // namespace

Played play_in_workers(const Work& work, std::size_t jobs, Interrupts& interrupts,
                       Progress& progress) {
  return Crew(work, jobs, interrupts, progress).run();
}

}  // namespace scenarios

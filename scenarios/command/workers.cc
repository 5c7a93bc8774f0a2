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

namespace scenarios {
namespace {

constexpr int kTickMs = 100;
constexpr std::size_t kHeaderBytes = 2 * sizeof(std::uint64_t);  // job number, length
using Header = std::array<std::uint64_t, 2>;

void write_or_exit(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) ::_exit(1);  // the parent is gone
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

// The life of a worker process: takes jobs until there are none or it is told to stop.
[[noreturn]] void serve(const Work& work, std::span<const std::size_t> order, Board& board,
                        Desk& desk, int pipe) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (!desk.control.stop) {
    const std::size_t next = board.take_next();
    if (next >= order.size()) break;
    const std::size_t number = order[next];
    desk.control.packet_hops = 0;
    desk.playing = static_cast<std::int64_t>(number);
    const std::optional<std::string> bytes =
        work.play(number, desk.control, board.expected()[number]);
    if (!bytes) break;
    const Header header{number, bytes->size()};
    std::string record(kHeaderBytes, '\0');
    std::memcpy(record.data(), header.data(), kHeaderBytes);
    write_or_exit(pipe, record + *bytes);
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
    done_.resize(work.weights.size());
  }

  bool run() {
    for (std::size_t i = 0; i < workers_.size(); ++i) start(i);
    while (std::ranges::any_of(workers_, [](const Worker& worker) { return worker.pid > 0; })) {
      wait_for_news();
      Snapshot snapshot =
          board_.snapshot(work_.weights, [this](std::size_t number) { return done_[number] != 0; });
      snapshot.noun = work_.noun;
      progress_.update(snapshot);
    }
    finish();
    return interrupted_;
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
    if (interrupted_) {
      for (const Worker& worker : workers_) {
        if (worker.pid > 0) ::kill(worker.pid, SIGKILL);
      }
      interrupts_.die(signal);
    }
    interrupted_ = true;
    progress_.say(fmt::format("ultrasim: stopping; finished {}s are kept (again to end at once)",
                              work_.noun));
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
    CHECK(number < done_.size());
    keep(number, received.substr(kHeaderBytes, length));
    received.erase(0, kHeaderBytes + length);
    return true;
  }

  void keep(std::size_t number, std::string bytes) {
    done_[number] = 1;
    work_.keep(number, std::move(bytes));
  }

  // A worker closed its pipe: it is done, or it died and took its job along.
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
    if (playing != kNoCase && done_[static_cast<std::size_t>(playing)] == 0) {
      const auto number = static_cast<std::size_t>(playing);
      // What it had still to do will not be done.
      board_.expected()[number] = board_.desks()[i].control.packet_hops.load();
      keep(number, work_.failed(number, death_in_words(status)));
    }
    if (!interrupted_ && board_.more()) start(i);
  }

  // Every job has a result or the run was interrupted.
  void finish() {
    if (interrupted_) return;
    for (std::size_t number = 0; number < done_.size(); ++number) {
      if (done_[number] != 0) continue;
      keep(number, work_.failed(number, "no worker process could play it"));
    }
  }

  const Work& work_;
  Progress& progress_;
  Interrupts& interrupts_;
  Board board_;
  std::vector<Worker> workers_;
  std::vector<std::size_t> order_;
  std::vector<char> done_;  // by job
  bool interrupted_ = false;
};

}  // namespace

bool play_in_workers(const Work& work, std::size_t jobs, Interrupts& interrupts,
                     Progress& progress) {
  return Crew(work, jobs, interrupts, progress).run();
}

}  // namespace scenarios

// SPDX-License-Identifier: GPL-2.0-only
// Cases one after another in this process. A thread watches: it shows progress and waits for
// interrupts.
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <thread>
#include <utility>

#include "scenarios/command/board.h"
#include "scenarios/command/workers.h"
#include "sim/base/check.h"

namespace scenarios {
namespace {

constexpr int kTickMs = 100;

// Watches from a thread of its own until it is destroyed. The board is atomic; the rest is the
// thread's.
class Watch {
 public:
  Watch(Board& board, const std::atomic<std::size_t>& done, std::span<const std::uint64_t> weights,
        Interrupts& interrupts, Progress& progress)
      : board_(board),
        done_(done),
        weights_(weights),
        progress_(progress),
        interrupts_(interrupts) {
    end_ = ::eventfd(0, EFD_CLOEXEC);
    CHECK(end_ >= 0);
    thread_ = std::thread([this] { watch(); });
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() {
    ::eventfd_write(end_, 1);
    thread_.join();
    ::close(end_);
  }

  [[nodiscard]] bool interrupted() const { return interrupted_; }

 private:
  void watch() {
    while (true) {
      std::array<pollfd, 2> fds{{{end_, POLLIN, 0}, {interrupts_.fd(), POLLIN, 0}}};
      ::poll(fds.data(), fds.size(), kTickMs);
      if (fds[0].revents != 0) return;
      if (fds[1].revents != 0) interrupt();
      const std::size_t done = done_;
      progress_.update(
          board_.snapshot(weights_, [done](std::size_t number) { return number < done; }));
    }
  }

  void interrupt() {
    const int signal = interrupts_.take();
    if (signal == 0) return;
    if (interrupted_) interrupts_.die(signal);
    interrupted_ = true;
    progress_.say("ultrasim: stopping; finished cases are kept (again to end at once)");
    board_.stop();
  }

  Board& board_;
  const std::atomic<std::size_t>& done_;
  std::span<const std::uint64_t> weights_;
  Progress& progress_;
  Interrupts& interrupts_;
  std::atomic<bool> interrupted_{false};
  int end_ = -1;
  std::thread thread_;
};

}  // namespace

bool play_here(const Work& work, Interrupts& interrupts, Progress& progress) {
  Board board(work.weights.size(), 1);
  Desk& desk = board.desks()[0];
  std::atomic<std::size_t> done{0};
  Watch watch(board, done, work.weights, interrupts, progress);
  for (std::size_t number = 0; number < work.weights.size() && !desk.control.stop; ++number) {
    desk.control.packet_hops = 0;
    desk.playing = static_cast<std::int64_t>(number);
    std::optional<std::string> result = work.play(number, desk.control, board.expected()[number]);
    if (!result) break;
    work.keep(number, std::move(*result));
    done = number + 1;
  }
  return watch.interrupted();
}

}  // namespace scenarios

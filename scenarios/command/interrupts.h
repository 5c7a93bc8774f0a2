// SPDX-License-Identifier: GPL-2.0-only
// Ctrl-C (SIGINT) and SIGTERM as something to be waited for instead of a handler. While an
// Interrupts lives, both are blocked in this thread and in all that it starts. The first asks the
// run to stop, the second ends the process.
#pragma once

#include <signal.h>

namespace scenarios {

class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  [[nodiscard]] int fd() const { return fd_; }  // readable when one came
  [[nodiscard]] int take();                     // 0: none
  [[noreturn]] void die(int signal);            // as if it had never been blocked

 private:
  sigset_t before_ = {};
  int fd_ = -1;
};

}  // namespace scenarios

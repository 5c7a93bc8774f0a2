// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/interrupts.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include "sim/base/check.h"

namespace scenarios {
namespace {

constexpr int kShellBase = 128;  // a shell shows death by signal n as 128 + n

// A terminal that closes asks to stop too, unless the user has said otherwise (nohup).
bool stops_on_hangup() {
  struct sigaction action = {};
  return ::sigaction(SIGHUP, nullptr, &action) == 0 && action.sa_handler != SIG_IGN;
}

sigset_t asked_to_stop() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  if (stops_on_hangup()) sigaddset(&set, SIGHUP);
  return set;
}

}  // namespace

Interrupts::Interrupts() {
  const sigset_t set = asked_to_stop();
  CHECK(pthread_sigmask(SIG_BLOCK, &set, &before_) == 0);
  fd_ = ::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  CHECK(fd_ >= 0);
}

Interrupts::~Interrupts() {
  while (take() != 0) {
  }
  ::close(fd_);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int Interrupts::take() {
  signalfd_siginfo info = {};
  if (::read(fd_, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return 0;
  return static_cast<int>(info.ssi_signo);
}

void Interrupts::die(int signal) {
  ::signal(signal, SIG_DFL);
  const sigset_t set = asked_to_stop();
  ::raise(signal);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  ::_exit(kShellBase + signal);
}

}  // namespace scenarios

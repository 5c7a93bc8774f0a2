// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/answer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "scenarios/command/exit_codes.h"

namespace scenarios {
namespace {

// 0, or why not all could be written.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

int print_answer(std::string_view text, int exit_code) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error == 0 || error == EPIPE) return exit_code;
  print_fault({fmt::format("cannot write to stdout: {}", std::strerror(error)), ""});
  return exit_code == kDone ? kFailed : exit_code;
}

void print_fault(const sim::Failure& failure) {
  std::string text = fmt::format("ultrasim: error: {}\n", failure.what);
  if (!failure.hint.empty()) text += fmt::format("  hint: {}\n", failure.hint);
  print_error(text);
}

void print_error(std::string_view text) { static_cast<void>(write_all(STDERR_FILENO, text)); }

}  // namespace scenarios

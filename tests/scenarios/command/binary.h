// SPDX-License-Identifier: GPL-2.0-only
// Runs the built ultrasim as a user would.
#pragma once

#include <sys/types.h>

#include <string>

namespace cli {

struct Finished {
  int exit_code = -1;  // 128 + n when signal n ended it
  std::string out;
  std::string err;
};

class Process {
 public:
  // `arguments` as for a shell, after the program's name; redirections are allowed.
  explicit Process(const std::string& arguments);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  void signal(int number) const;
  [[nodiscard]] Finished wait();

 private:
  std::string base_;
  pid_t pid_ = 0;
};

[[nodiscard]] Finished ultrasim(const std::string& arguments);

// A folder of this process, emptied at first use of its name.
[[nodiscard]] std::string fresh_folder(const std::string& name);
[[nodiscard]] std::string text_of(const std::string& path);
[[nodiscard]] std::string library(const std::string& name);  // path of a library scenario

}  // namespace cli

// SPDX-License-Identifier: GPL-2.0-only
#include "tests/scenarios/command/binary.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace cli {
namespace {

namespace fs = std::filesystem;

std::string unique(const std::string& name) {
  static int count = 0;
  return fs::temp_directory_path() /
         ("ultrasim_cli_" + std::to_string(getpid()) + "_" + std::to_string(count++) + "_" + name);
}

}  // namespace

Process::Process(const std::string& arguments) : base_(unique("io")) {
  const std::string command =
      "exec " ULTRASIM_BINARY " >" + base_ + ".out 2>" + base_ + ".err " + arguments;
  pid_ = fork();
  if (pid_ == 0) {
    execl("/bin/bash", "bash", "-c", command.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
}

Process::~Process() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  fs::remove(base_ + ".out");
  fs::remove(base_ + ".err");
}

void Process::signal(int number) const { kill(pid_, number); }

Finished Process::wait() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = 0;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, text_of(base_ + ".out"), text_of(base_ + ".err")};
}

Finished ultrasim(const std::string& arguments) { return Process(arguments).wait(); }

std::string fresh_folder(const std::string& name) {
  const std::string path = unique(name);
  fs::remove_all(path);
  return path;
}

std::string text_of(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string library(const std::string& name) {
  return std::string(ULTRASIM_SOURCE_DIR) + "/scenarios/library/" + name + ".yaml";
}

}  // namespace cli

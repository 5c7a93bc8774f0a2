// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/output_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace scenarios {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockName = ".ultrasim.lock";
constexpr const char* kElsewhere = "choose another folder with --out DIR";
constexpr mode_t kMode = 0644;

std::string lock_path(const std::string& folder) { return folder + "/" + kLockName; }
std::string aside(const std::string& path) { return path + ".part"; }

sim::Failure cannot(const std::string& what, int error) {
  return {fmt::format("{}: {}", what, std::strerror(error)), kElsewhere};
}

// The process named in a lock file; for the message only.
std::string owner_of(int lock) {
  char text[32] = {};
  const ssize_t size = ::pread(lock, text, sizeof text - 1, 0);
  const std::string_view digits(text, size > 0 ? static_cast<std::size_t>(size) : 0);
  const std::size_t end = std::min(digits.find_first_not_of("0123456789"), digits.size());
  return end == 0 ? "another process" : fmt::format("process {}", digits.substr(0, end));
}

// The file at `path` may have been removed by its last owner between opening and locking it.
bool still_there(int lock, const std::string& path) {
  struct stat held = {};
  struct stat there = {};
  return ::fstat(lock, &held) == 0 && ::stat(path.c_str(), &there) == 0 &&
         held.st_ino == there.st_ino && held.st_dev == there.st_dev;
}

sim::Result<int> take_lock(const std::string& folder) {
  const std::string path = lock_path(folder);
  while (true) {
    const int lock = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kMode);
    if (lock < 0) return cannot(fmt::format("cannot write to the folder '{}'", folder), errno);
    if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      const std::string owner = owner_of(lock);
      ::close(lock);
      if (error != EWOULDBLOCK) return cannot(fmt::format("cannot lock '{}'", path), error);
      return sim::Failure{
          fmt::format("another run ({}) is writing to the folder '{}'", owner, folder), kElsewhere};
    }
    if (still_there(lock, path)) return lock;
    ::close(lock);
  }
}

// Writes and syncs; 0 or the error.
int write_file(const std::string& path, std::string_view text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, kMode);
  if (fd < 0) return errno;
  int error = 0;
  while (!text.empty() && error == 0) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written >= 0) text.remove_prefix(static_cast<std::size_t>(written));
    if (written < 0 && errno != EINTR) error = errno;
  }
  if (::close(fd) != 0 && error == 0) error = errno;
  return error;
}

std::optional<sim::Failure> make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  std::error_code unreadable;  // a path too long, say: the reason is in `error` already
  if (fs::is_directory(path, unreadable)) return std::nullopt;
  const std::string reason = error ? error.message() : "it is not a folder";
  return sim::Failure{fmt::format("cannot create the folder '{}': {}", path, reason), kElsewhere};
}

// Whatever stands where a result will go must be a file.
std::optional<sim::Failure> obstacle(const std::string& path,
                                     const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    std::error_code error;
    const fs::file_status status = fs::symlink_status(path + "/" + name, error);
    if (!fs::exists(status) || fs::is_regular_file(status)) continue;
    return sim::Failure{fmt::format("'{}/{}' is in the way: it is not a file", path, name),
                        kElsewhere};
  }
  return std::nullopt;
}

}  // namespace

sim::Result<OutputFolder> OutputFolder::open(const std::string& path,
                                             const std::vector<std::string>& names) {
  if (auto failure = make_folder(path)) return *failure;
  if (auto failure = obstacle(path, names)) return *failure;
  const sim::Result<int> lock = take_lock(path);
  if (!lock.ok()) return lock.failure();
  OutputFolder folder(path, lock.value());
  const std::string pid = fmt::format("{}\n", ::getpid());
  const bool written =
      ::ftruncate(folder.lock_, 0) == 0 &&
      ::write(folder.lock_, pid.data(), pid.size()) == static_cast<ssize_t>(pid.size());
  if (!written) return cannot(fmt::format("cannot write to the folder '{}'", path), errno);
  return folder;
}

OutputFolder::OutputFolder(OutputFolder&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

OutputFolder::~OutputFolder() {
  if (lock_ < 0) return;
  ::unlink(lock_path(path_).c_str());  // while it is still locked
  ::close(lock_);
}

std::optional<sim::Failure> OutputFolder::write(const std::vector<File>& files) const {
  int error = 0;
  std::string where;
  for (const File& file : files) {
    where = path_ + "/" + file.name;
    error = write_file(aside(where), file.text);
    if (error != 0) break;
  }
  for (const File& file : files) {
    const std::string path = path_ + "/" + file.name;
    if (error == 0 && ::rename(aside(path).c_str(), path.c_str()) != 0) {
      error = errno;
      where = path;
    }
    if (error != 0) ::unlink(aside(path).c_str());
  }
  if (error == 0) return std::nullopt;
  return cannot(fmt::format("cannot write '{}'; the results were not saved", where), error);
}

}  // namespace scenarios

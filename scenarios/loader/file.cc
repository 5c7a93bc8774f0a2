// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <system_error>

#include "scenarios/loader/scenario.h"

namespace scenarios {

namespace fs = std::filesystem;

sim::Result<std::string> read_text_file(const std::string& path) {
  return read_text_file(path, "a scenario", kMostFileBytes);
}

sim::Result<std::string> read_text_file(const std::string& path, const char* what,
                                        std::int64_t most_bytes) {
  std::error_code fault;
  const fs::file_status status = fs::status(path, fault);
  if (status.type() == fs::file_type::not_found) {
    return sim::Failure{"there is no such file", "check the path"};
  }
  if (fault) return sim::Failure{"cannot be read: " + fault.message(), ""};
  if (fs::is_directory(status)) return sim::Failure{"is a directory", "name a file in it"};
  if (!fs::is_regular_file(status)) return sim::Failure{"is not a regular file", ""};
  const std::uintmax_t size = fs::file_size(path, fault);
  if (fault) return sim::Failure{"cannot be read: " + fault.message(), ""};
  if (size > static_cast<std::uintmax_t>(most_bytes)) {
    return sim::Failure{fmt::format("is too large: {} bytes", size),
                        fmt::format("{} has at most {} bytes", what, most_bytes)};
  }
  std::ifstream stream(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(size), '\0');
  if (!stream || !stream.read(text.data(), static_cast<std::streamsize>(size))) {
    return sim::Failure{"cannot be read", "check its permissions"};
  }
  return text;
}

}  // namespace scenarios

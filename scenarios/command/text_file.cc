// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/text_file.h"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace scenarios {

bool write_text_file(const std::string& path, std::string_view text) {
  namespace fs = std::filesystem;
  const std::string beside = path + ".new";
  std::ofstream stream(beside, std::ios::binary);
  stream << text;
  stream.close();
  std::error_code fault;
  if (stream) fs::rename(beside, path, fault);
  if (stream && !fault) return true;
  fs::remove(beside, fault);
  return false;
}

}  // namespace scenarios

// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/text_file.h"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace scenarios {

bool write_text_file(const std::string& path, std::string_view text) {
  namespace fs = std::filesystem;
  std::error_code fault;
  const fs::path place = fs::exists(path, fault) ? fs::canonical(path, fault) : fs::path(path);
  if (fault) return false;
  if (fs::exists(place, fault) && !fs::is_regular_file(place, fault)) {
    std::ofstream stream(place, std::ios::binary);
    stream << text << std::flush;
    return !fs::is_directory(place, fault) && stream.good();
  }
  const std::string beside = place.string() + ".new";
  std::ofstream stream(beside, std::ios::binary);
  stream << text;
  stream.close();
  fault.clear();
  if (stream) fs::rename(beside, place, fault);
  if (stream && !fault) return true;
  fs::remove(beside, fault);
  return false;
}

}  // namespace scenarios

// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/result_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "sim/base/diagnostic.h"
#include "sim/results/codec.h"

namespace scenarios {

sim::Result<sim::Outcome> read_result(const std::string& path) {
  std::error_code fault;
  const bool folder = std::filesystem::is_directory(path, fault);
  const std::string file = folder ? path + "/results.pb" : path;
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream bytes;
  bytes << stream.rdbuf();
  if (!stream && folder && std::filesystem::exists(path + "/results.json", fault)) {
    return sim::Failure{
        fmt::format("{} holds a step of a model, not collectives", sim::quoted(path)),
        "its figures are in results.json and results.csv; `ultrasim trace` draws its timeline"};
  }
  if (!stream || bytes.str().empty()) {
    return sim::Failure{fmt::format("cannot read a result from {}", sim::quoted(file)),
                        "name the folder that a run wrote, such as out/tp8"};
  }
  sim::Result<sim::Outcome> outcome = sim::decode_outcome(bytes.str());
  if (outcome.ok()) return outcome;
  return sim::Failure{fmt::format("{}: {}", file, outcome.failure().what), outcome.failure().hint};
}

}  // namespace scenarios

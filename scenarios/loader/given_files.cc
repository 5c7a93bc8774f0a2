// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/given_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "collectives/goal.h"
#include "collectives/msccl.h"
#include "scenarios/loader/file.h"

namespace scenarios {
namespace {

constexpr std::int64_t kMostGivenBytes = 64 << 20;
constexpr std::string_view kGoal = ".goal";

}  // namespace

bool names_file(std::string_view algorithm) {
  return algorithm.ends_with(".xml") || algorithm.ends_with(kGoal);
}

std::string shown_file(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::shared_ptr<const collectives::Given> GivenFiles::find(const std::string& path,
                                                           sim::Position place,
                                                           sim::Diagnostics& diagnostics) {
  const auto [known, fresh] = known_.try_emplace(path, nullptr);
  if (!fresh) return known->second;
  const std::string full = (std::filesystem::path(folder_) / path).string();
  sim::Result<std::string> text = read_text_file(full, "such a file", kMostGivenBytes);
  if (!text.ok()) {
    diagnostics.add({place, fmt::format("{}: {}", sim::quoted(path), text.failure().what),
                     "a file, from the folder of the scenario", text.failure().hint});
    return nullptr;
  }
  const std::string shown = shown_file(path);
  sim::Diagnostics inside(shown, text.value());
  const bool goal = path.ends_with(kGoal);
  known->second = goal ? collectives::goal::read(shown, text.value(), inside)
                       : collectives::msccl::read(shown, text.value(), inside);
  texts_.push_back(std::move(text).value());
  if (inside.empty()) return known->second;
  faults_ += inside.render();
  diagnostics.add({place, fmt::format("{} cannot be used: see its faults below", sim::quoted(path)),
                   goal ? "GOAL without faults" : "MSCCL XML without faults", ""});
  return nullptr;
}

}  // namespace scenarios

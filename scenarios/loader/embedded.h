// SPDX-License-Identifier: GPL-2.0-only
// The YAML files of scenarios/hardware, library, models and chips as they were at build time,
// sorted by name. The binary carries them, so it runs without the source tree. Written by
// embed.cmake.
#pragma once

#include <span>
#include <string_view>

namespace scenarios {

struct EmbeddedFile {
  std::string_view name;  // "trn3-gen2.yaml"
  std::string_view text;
};

[[nodiscard]] std::span<const EmbeddedFile> hardware_files();
[[nodiscard]] std::span<const EmbeddedFile> library_files();
[[nodiscard]] std::span<const EmbeddedFile> model_files();
[[nodiscard]] std::span<const EmbeddedFile> chip_files();

}  // namespace scenarios

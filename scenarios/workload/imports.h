// SPDX-License-Identifier: GPL-2.0-only
// Layouts that teams have already: a TorchTitan TOML file, a Megatron-LM argument line, vLLM flags.
// Each import gives the keys of `layout` (and of `model`, where the source describes one), says
// which of its own keys each came from, and lists what it could not map: nothing is dropped in
// silence.
#pragma once

#include <string>
#include <vector>

#include "sim/base/result.h"

namespace workload {

struct Mapping {
  std::string from;   // "parallelism.tensor_parallel_degree = 8"
  std::string key;    // "layout.tensor_parallel_degree"
  std::string value;  // "8"
};

struct Imported {
  std::vector<Mapping> mapped;
  std::vector<std::string> unmapped;  // "training.steps = 1000: no bearing on one step"
  std::vector<std::string> notes;
};

[[nodiscard]] sim::Result<Imported> import_torchtitan(const std::string& toml);
[[nodiscard]] sim::Result<Imported> import_megatron(const std::string& arguments);
[[nodiscard]] sim::Result<Imported> import_vllm(const std::string& arguments);

// The mapping as comments, then the sections of a scenario as YAML.
[[nodiscard]] std::string import_page(const Imported& imported);

}  // namespace workload

// SPDX-License-Identifier: GPL-2.0-only
// Finds the functions of a C++ file by its braces. Bodies inside namespaces and classes count;
// lambdas and local classes belong to the function around them. Length is from the first line of
// the signature (template line included) to the closing brace.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/tidy/source.h"

namespace tidy {

struct Function {
  std::string name;
  std::size_t line = 0;
  std::size_t lines = 0;
};

[[nodiscard]] std::vector<Function> functions_of(const Source& source);

// The house figures: of all functions' lengths.
struct Lengths {
  std::size_t functions = 0;
  std::size_t median = 0;
  std::size_t ninetieth = 0;
  std::size_t longest = 0;
};

[[nodiscard]] Lengths lengths_of(const std::vector<Function>& functions);

}  // namespace tidy

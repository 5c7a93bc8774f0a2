// SPDX-License-Identifier: GPL-2.0-only
// The command line told to a shell and to `man`, from what is declared in arguments.cc.
#pragma once

#include <string>
#include <vector>

namespace scenarios {

struct OptionHelp {
  std::string name;   // "--out", or "FILE" for what has no dashes
  std::string value;  // "DIR"; "" for a flag
  std::string text;
};

struct CommandHelp {
  std::string name;
  std::string text;
  std::string footer;  // examples and exit codes
  std::vector<OptionHelp> options;
};

[[nodiscard]] std::string bash_completion(const std::vector<CommandHelp>& commands);
[[nodiscard]] std::string man_page(const std::vector<CommandHelp>& commands,
                                   const std::string& version);  // troff, man macros

}  // namespace scenarios

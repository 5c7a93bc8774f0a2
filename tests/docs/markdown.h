// SPDX-License-Identifier: GPL-2.0-only
// The fenced blocks of a Markdown page, and the commands of a block of shell. A fence says what it
// holds: "```sh", "```sh no-run REASON", "```yaml FILE", "```text", "```cpp".
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace docs {

struct Block {
  std::size_t line = 0;   // of the opening fence, counted from 1
  std::string language;   // "" when the fence does not say
  std::string remainder;  // what follows the language
  std::vector<std::string> lines;

  [[nodiscard]] std::string text() const;
};

[[nodiscard]] std::vector<Block> blocks_of(const std::string& page);
// The page with other lines in a block of it.
[[nodiscard]] std::string with_block(const std::string& page, const Block& block,
                                     const std::string& text);

struct Command {
  std::size_t line = 0;
  std::string text;   // continued lines joined, comment cut off
  int exit_code = 0;  // what "# exit N" says

  [[nodiscard]] std::vector<std::string> words() const;
};

[[nodiscard]] std::vector<Command> commands_of(const Block& block);

// What stands between parentheses after "](": the targets of links, in order.
[[nodiscard]] std::vector<std::string> links_of(const std::string& page);

}  // namespace docs

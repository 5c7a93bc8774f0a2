// SPDX-License-Identifier: GPL-2.0-only
#include "tests/docs/markdown.h"

#include <sstream>

namespace docs {
namespace {

Block opened(const std::string& line, std::size_t number) {
  Block block;
  block.line = number;
  std::istringstream info(line.substr(3));
  info >> block.language;
  std::getline(info >> std::ws, block.remainder);
  return block;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

Command command_of(const std::string& line, std::size_t number) {
  Command command;
  command.line = number;
  const std::size_t comment = line.find(" #");
  command.text = trimmed(line.substr(0, comment));
  if (comment == std::string::npos) return command;
  std::istringstream words(line.substr(comment + 2));
  std::string word;
  if (words >> word && word == "exit") words >> command.exit_code;
  return command;
}

}  // namespace

std::string Block::text() const {
  std::string text;
  for (const std::string& each : lines) text += each + "\n";
  return text;
}

std::vector<Block> blocks_of(const std::string& page) {
  std::vector<Block> blocks;
  std::istringstream stream(page);
  std::string line;
  bool inside = false;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.push_back(opened(line, number));
    } else if (inside) {
      blocks.back().lines.push_back(line);
    }
  }
  return blocks;
}

std::string with_block(const std::string& page, const Block& block, const std::string& text) {
  std::size_t first = 0;
  for (std::size_t line = 0; line < block.line; ++line) first = page.find('\n', first) + 1;
  return page.substr(0, first) + text + page.substr(first + block.text().size());
}

std::vector<std::string> Command::words() const {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::vector<Command> commands_of(const Block& block) {
  std::vector<Command> commands;
  std::string pending;
  for (std::size_t i = 0; i < block.lines.size(); ++i) {
    pending += block.lines[i];
    if (pending.ends_with("\\")) {
      pending.pop_back();
      continue;
    }
    const bool says_nothing = trimmed(pending).empty() || trimmed(pending).starts_with("#");
    if (!says_nothing) commands.push_back(command_of(pending, block.line + 1 + i));
    pending.clear();
  }
  return commands;
}

std::vector<std::string> links_of(const std::string& page) {
  std::vector<std::string> links;
  for (std::size_t at = page.find("]("); at != std::string::npos; at = page.find("](", at + 2)) {
    links.push_back(page.substr(at + 2, page.find(')', at) - at - 2));
  }
  return links;
}

}  // namespace docs

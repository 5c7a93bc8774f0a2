// SPDX-License-Identifier: GPL-2.0-only
#include "tests/tidy/source.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace tidy {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Blanks a C++ text in one pass, one construct at a time.
class Blanker {
 public:
  explicit Blanker(std::string_view text) : text_(text), out_(text) {}

  std::string run() {
    while (here_ < text_.size()) step();
    return std::move(out_);
  }

 private:
  void step() {
    const std::string_view rest = text_.substr(here_);
    if (rest.starts_with("//")) return blank_line();
    if (rest.starts_with("/*")) return blank_to("*/", 2);
    if (rest.starts_with("R\"") && !after_word()) return blank_raw();
    if (rest[0] == '"') return blank_literal('"');
    if (rest[0] == '\'' && !after_word()) return blank_literal('\'');  // not 1'000
    if (rest[0] == '#' && starts_line()) return blank_line();
    ++here_;
  }

  [[nodiscard]] bool after_word() const { return here_ > 0 && is_word(text_[here_ - 1]); }

  [[nodiscard]] bool starts_line() const {
    std::size_t i = here_;
    while (i > 0 && (text_[i - 1] == ' ' || text_[i - 1] == '\t')) --i;
    return i == 0 || text_[i - 1] == '\n';
  }

  void blank(std::size_t end) {
    for (end = std::min(end, text_.size()); here_ < end; ++here_) {
      if (out_[here_] != '\n') out_[here_] = ' ';
    }
  }

  // To the end of the line; a backslash there takes the next line along.
  void blank_line() {
    std::size_t end = text_.find('\n', here_);
    while (end != std::string_view::npos && end > 0 && text_[end - 1] == '\\') {
      end = text_.find('\n', end + 1);
    }
    blank(end);
  }

  void blank_to(std::string_view ending, std::size_t skip) {
    const std::size_t end = text_.find(ending, here_ + skip);
    blank(end == std::string_view::npos ? end : end + ending.size());
  }

  void blank_raw() {
    const std::size_t open = text_.find('(', here_);
    const std::string mark(text_.substr(here_ + 2, open - here_ - 2));
    blank_to(")" + mark + "\"", open - here_);
  }

  void blank_literal(char quote) {
    std::size_t end = here_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    blank(end + 1);
  }

  std::string_view text_;
  std::string out_;
  std::size_t here_ = 0;
};

std::string content_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace

Source::Source(std::string path_from_root, std::string content)
    : path(std::move(path_from_root)), text(std::move(content)) {
  if (is_cpp()) code = blanked(text);
}

std::string Source::folder() const { return path.substr(0, path.rfind('/')); }

std::string Source::name() const { return path.substr(path.rfind('/') + 1); }

bool Source::within(std::string_view folder) const {
  return path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/';
}

std::string Source::at(std::size_t line) const { return path + ":" + std::to_string(line); }

Sources read_house(const std::string& root) {
  constexpr std::array<const char*, 6> kFolders = {"sim",      "topologies", "collectives",
                                                   "analysis", "scenarios",  "tests"};
  Sources sources;
  for (const char* folder : kFolders) {
    const std::filesystem::path start = std::filesystem::path(root) / folder;
    if (!std::filesystem::is_directory(start)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(start)) {
      if (!entry.is_regular_file()) continue;
      const std::string path = entry.path().lexically_relative(root).generic_string();
      sources.emplace_back(path, content_of(entry.path()));
    }
  }
  std::sort(sources.begin(), sources.end(),
            [](const Source& a, const Source& b) { return a.path < b.path; });
  return sources;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::vector<Include> includes_of(const Source& source) {
  std::vector<Include> includes;
  std::size_t number = 0;
  for (const std::string& line : lines_of(source.text)) {
    ++number;
    std::string_view rest = line;
    const auto skip_blanks = [&] {
      while (!rest.empty() && (rest[0] == ' ' || rest[0] == '\t')) rest.remove_prefix(1);
    };
    skip_blanks();
    if (!rest.starts_with("#")) continue;
    rest.remove_prefix(1);
    skip_blanks();
    if (!rest.starts_with("include")) continue;
    rest.remove_prefix(7);
    skip_blanks();
    if (rest.empty() || (rest[0] != '"' && rest[0] != '<')) continue;
    const bool angled = rest[0] == '<';
    const std::string_view path = rest.substr(1, rest.find(angled ? '>' : '"', 1) - 1);
    includes.push_back({std::string(path), angled, number});
  }
  return includes;
}

std::size_t line_at(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
}

bool has_word(std::string_view line, std::string_view word) {
  for (std::size_t at = line.find(word); at != std::string_view::npos;
       at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool starts = at == 0 || !is_word(line[at - 1]);
    if (starts && (end == line.size() || !is_word(line[end]))) return true;
  }
  return false;
}

std::string blanked(std::string_view text) { return Blanker(text).run(); }

}  // namespace tidy

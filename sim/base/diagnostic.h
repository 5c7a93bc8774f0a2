// SPDX-License-Identifier: GPL-2.0-only
// One fault in the user's input, with its place, what was expected and a hint. Faults are values:
// a reader collects them in a Diagnostics list and goes on, so that all faults of a file are shown
// together. Positions count from 1 and columns count bytes, as parsers do; messages show columns in
// characters. Line 0 means "the file as a whole".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sim {

struct Position {
  int line = 0;
  int column = 0;
};

struct Diagnostic {
  Position position;
  std::string what;           // "unknown key 'rack_to_rak.bandwidth' in cluster.overrides"
  std::string expected = {};  // may be empty
  std::string hint = {};      // may be empty
};

// The faults of one input file. Beyond `kMostShown` faults only their number is kept.
class Diagnostics {
 public:
  static constexpr std::size_t kMostShown = 50;

  // `file` is the name shown; `text` the content, for the source line under each message.
  Diagnostics(std::string file, std::string text);

  void add(Diagnostic diagnostic);
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] const std::vector<Diagnostic>& list() const { return list_; }

  // All messages as `file:line:column: error: what`, the line with a caret, `expected:`, `hint:`,
  // sorted by position, with the number of errors last. Ends with a newline.
  [[nodiscard]] std::string render() const;

 private:
  [[nodiscard]] std::string_view source_line(int line) const;

  std::string file_;
  std::string text_;
  std::vector<Diagnostic> list_;
  std::size_t count_ = 0;
};

// The candidate nearest to `word` by edit distance, or "" when none is near enough to be meant.
[[nodiscard]] std::string nearest(std::string_view word,
                                  const std::vector<std::string>& candidates);

// User text for a message: in quotes, cut to 60 characters, control characters as '?'.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace sim

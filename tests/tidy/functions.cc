// SPDX-License-Identifier: GPL-2.0-only
#include "tests/tidy/functions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace tidy {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// Offset behind the bracket that closes the one at `open`; the end when there is none.
std::size_t behind_match(std::string_view text, std::size_t open, char opening, char closing) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == opening) ++depth;
    if (text[i] == closing && --depth == 0) return i + 1;
  }
  return text.size();
}

// The head of a declaration without "template <...>", "[[...]]" and "public:" in front.
std::string_view without_prefixes(std::string_view head) {
  for (head = trimmed(head);; head = trimmed(head)) {
    if (head.starts_with("template")) {
      const std::size_t open = head.find('<');
      if (open == kNone) return head;
      head.remove_prefix(behind_match(head, open, '<', '>'));
    } else if (head.starts_with("[[")) {
      head.remove_prefix(behind_match(head, 0, '[', ']'));
    } else {
      return head;
    }
  }
}

bool starts_with_word(std::string_view text, std::string_view word) {
  return text.starts_with(word) && (text.size() == word.size() || !is_word(text[word.size()]));
}

bool opens_a_scope(std::string_view head) {
  constexpr std::array<std::string_view, 6> kWords = {
      "namespace", "inline namespace", "class", "struct", "union", "enum"};
  const bool names_one = std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
    return starts_with_word(head, word);
  });
  // "struct X f() {" is a function; "struct alignas(64) X {" is not.
  const std::size_t paren = head.find('(');
  const bool aligned = head.find("alignas") < paren && head.find('(', paren + 1) == kNone;
  return (names_one && (paren == kNone || aligned)) ||
         (starts_with_word(head, "extern") && paren == kNone);
}

// Position of a '=' outside all brackets, as in "int x = {"; none in "operator==(...)".
bool is_initialiser(std::string_view head) {
  if (head.find("operator") != kNone) return false;
  int depth = 0;
  for (std::size_t i = 0; i < head.size(); ++i) {
    if (head[i] == '(' || head[i] == '[' || head[i] == '<') ++depth;
    if (head[i] == ')' || head[i] == ']' || head[i] == '>') --depth;
    if (depth == 0 && head[i] == '=') return trimmed(head.substr(i + 1)).substr(0, 1) != "[";
  }
  return false;
}

// In "X::X(int a) : a_(a), b_{1} {" the first brace belongs to b_.
bool is_member_initialiser(std::string_view head) {
  if (head.empty() || !(is_word(head.back()) || head.back() == '>')) return false;
  const std::size_t paren = head.find('(');
  const std::size_t close = paren == kNone ? kNone : behind_match(head, paren, '(', ')');
  if (close == kNone || close >= head.size()) return false;
  const std::string_view after = trimmed(head.substr(close));
  std::string_view rest = starts_with_word(after, "noexcept") ? trimmed(after.substr(8)) : after;
  return rest.starts_with(":") && !rest.starts_with("::");
}

std::string name_in(std::string_view head) {
  std::size_t end = head.find('(');
  while (end > 0 && end != kNone && is_space(head[end - 1])) --end;
  std::size_t start = end == kNone ? 0 : end;
  while (start > 0 && !is_space(head[start - 1]) && head[start - 1] != '*' &&
         head[start - 1] != '&') {
    --start;
  }
  return std::string(head.substr(start, end == kNone ? kNone : end - start));
}

class Finder {
 public:
  explicit Finder(std::string_view code) : code_(code) {}

  std::vector<Function> run() {
    while (here_ < code_.size()) step();
    return std::move(found_);
  }

 private:
  void step() {
    const char c = code_[here_];
    if (c == '(') {
      here_ = behind_match(code_, here_, '(', ')');
    } else if (c == '{') {
      open();
    } else if (c == ';' || c == '}') {
      head_ = ++here_;
    } else if (c == ':' && ends_access_word()) {
      head_ = ++here_;
    } else {
      ++here_;
    }
  }

  [[nodiscard]] bool ends_access_word() const {
    const std::string_view head = trimmed(code_.substr(head_, here_ - head_));
    return head == "public" || head == "private" || head == "protected";
  }

  void open() {
    const std::string_view head = without_prefixes(code_.substr(head_, here_ - head_));
    if (opens_a_scope(head)) {
      head_ = ++here_;
      return;
    }
    const std::size_t end = behind_match(code_, here_, '{', '}');
    if (is_member_initialiser(head) || is_initialiser(head) || head.find('(') == kNone) {
      here_ = end;  // the head goes on behind the braces
      return;
    }
    std::size_t start = head_;
    while (start < here_ && is_space(code_[start])) ++start;
    const std::size_t first = line_at(code_, start);
    found_.push_back({name_in(head), first, line_at(code_, end - 1) - first + 1});
    head_ = here_ = end;
  }

  std::string_view code_;
  std::size_t here_ = 0;
  std::size_t head_ = 0;  // where the declaration under way starts
  std::vector<Function> found_;
};

}  // namespace

std::vector<Function> functions_of(const Source& source) {
  return source.is_cpp() ? Finder(source.code).run() : std::vector<Function>{};
}

Lengths lengths_of(const std::vector<Function>& functions) {
  std::vector<std::size_t> lengths;
  for (const Function& function : functions) lengths.push_back(function.lines);
  if (lengths.empty()) return {};
  std::sort(lengths.begin(), lengths.end());
  const std::size_t count = lengths.size();
  return {count, lengths[(count - 1) / 2], lengths[(count - 1) * 9 / 10], lengths.back()};
}

}  // namespace tidy

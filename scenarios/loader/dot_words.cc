// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/dot_words.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string_view>

#include "scenarios/loader/text_check.h"

namespace scenarios {
namespace {

bool is_word_byte(char c) {
  const auto byte = static_cast<std::uint8_t>(c);
  return byte >= 0x80 || std::isalnum(byte) != 0 || c == '_';
}

// Splits a text into words. Lives only during `dot_words`.
class Splitting {
 public:
  Splitting(const std::string& text, sim::Diagnostics& diagnostics)
      : text_(text), diagnostics_(diagnostics) {}

  std::optional<std::vector<DotWord>> all() {
    for (skip(); at_ < text_.size() && sound_; skip()) words_.push_back(next());
    if (!sound_) return std::nullopt;
    return std::move(words_);
  }

 private:
  bool starts(std::string_view what) const { return text_.compare(at_, what.size(), what) == 0; }

  void jump_behind(std::string_view end, const char* what) {
    const std::size_t found = text_.find(end, at_ + 1);
    if (found == std::string::npos) return fault(at_, what, std::string(end));
    at_ = found + end.size();
  }

  void fault(std::size_t at, const char* what, std::string expected) {
    diagnostics_.add({place_of(text_, at), what, std::move(expected), ""});
    sound_ = false;
    at_ = text_.size();
  }

  // White space, comments, and lines that begin with # as those of a preprocessor.
  void skip() {
    while (at_ < text_.size()) {
      const bool first = at_ == 0 || text_[at_ - 1] == '\n';
      if (starts("/*")) {
        jump_behind("*/", "a comment that never ends");
      } else if (starts("//") || (first && text_[at_] == '#')) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (std::isspace(static_cast<std::uint8_t>(text_[at_])) != 0) {
        ++at_;
      } else {
        return;
      }
    }
  }

  DotWord next() {
    const std::size_t begin = at_;
    if (text_[at_] == '"') return quoted();
    if (text_[at_] == '<') return html();
    if (starts("--") || starts("->")) return {text_.substr(begin, 2), false, begin, at_ += 2};
    const bool number = text_[at_] == '.' || (text_[at_] == '-' && at_ + 1 < text_.size() &&
                                              (text_[at_ + 1] == '.' || is_digit(at_ + 1)));
    if (!is_word_byte(text_[at_]) && !number) {
      return {text_.substr(begin, 1), false, begin, ++at_};
    }
    const bool digits = number || is_digit(at_);
    ++at_;
    while (at_ < text_.size() && (digits ? is_digit(at_) || text_[at_] == '.'  //
                                         : is_word_byte(text_[at_]))) {
      ++at_;
    }
    return {text_.substr(begin, at_ - begin), true, begin, at_};
  }

  bool is_digit(std::size_t at) const {
    return std::isdigit(static_cast<std::uint8_t>(text_[at])) != 0;
  }

  DotWord quoted() {
    const std::size_t begin = at_;
    std::string inner;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        ++at_;
        if (text_[at_] == '\n') continue;
        if (text_[at_] != '"') inner += '\\';
      }
      inner += text_[at_];
    }
    if (at_ >= text_.size()) fault(begin, "a quoted text that never ends", "\"");
    at_ = std::min(at_ + 1, text_.size());
    return {inner, true, begin, at_};
  }

  DotWord html() {
    const std::size_t begin = at_;
    int open = 0;
    do {
      if (text_[at_] == '<') ++open;
      if (text_[at_] == '>') --open;
      ++at_;
    } while (open > 0 && at_ < text_.size());
    if (open > 0) fault(begin, "an HTML text that never ends", ">");
    return {text_.substr(begin, at_ - begin), true, begin, at_};
  }

  const std::string& text_;
  sim::Diagnostics& diagnostics_;
  std::size_t at_ = 0;
  bool sound_ = true;
  std::vector<DotWord> words_;
};

// Of the name at `word` with a port behind it (`a:port`), or `word`.
std::size_t before_port(const std::vector<DotWord>& words, std::size_t word) {
  while (word >= 2 && words[word - 1].text == ":" && !words[word - 1].is_name) word -= 2;
  return word;
}

std::vector<sim::Position> places_of(const std::string& text, const std::vector<DotWord>& words) {
  std::vector<sim::Position> places;
  int line = 1;
  std::size_t start = 0;
  std::size_t at = 0;
  for (const DotWord& word : words) {
    for (; at < word.begin; ++at) {
      if (text[at] != '\n') continue;
      ++line;
      start = at + 1;
    }
    places.push_back({line, static_cast<int>(word.begin - start) + 1});
  }
  return places;
}

}  // namespace

std::optional<std::vector<DotWord>> dot_words(const std::string& text,
                                              sim::Diagnostics& diagnostics) {
  return Splitting(text, diagnostics).all();
}

DotPlaces::DotPlaces(const std::string& text, const std::vector<DotWord>& words)
    : places_(places_of(text, words)) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool sign = !words[i].is_name;
    const bool inside = i > 0 && i + 1 < words.size();
    if (sign && words[i].text == "--" && inside) {
      const std::size_t from = before_port(words, i - 1);
      edges_[{words[from].text, words[i + 1].text}].push_back(from);
    }
    if (sign && words[i].text == "=" && inside) {
      values_[{words[i - 1].text, words[i + 1].text}].push_back(i + 1);
    }
    const bool by_sign = inside && !sign &&
                         ((!words[i - 1].is_name && words[i - 1].text == "=") ||
                          (!words[i + 1].is_name && words[i + 1].text == "="));
    if (!sign && !by_sign) node_.try_emplace(words[i].text, i);
  }
  for (auto& [pair, found] : edges_) std::reverse(found.begin(), found.end());
}

sim::Position DotPlaces::at(std::size_t word) const { return places_[word]; }

sim::Position DotPlaces::node(const std::string& name) const {
  const auto found = node_.find(name);
  return found == node_.end() ? sim::Position{} : at(found->second);
}

sim::Position DotPlaces::next_edge(const std::string& from, const std::string& to) {
  const auto found = edges_.find({from, to});
  if (found == edges_.end() || found->second.empty()) return node(from);
  const std::size_t word = found->second.back();
  found->second.pop_back();
  return at(word);
}

sim::Position DotPlaces::value(const std::string& key, const std::string& value,
                               sim::Position from) const {
  const auto found = values_.find({key, value});
  if (found == values_.end()) return from;
  const auto is_before = [&](std::size_t word) {
    const sim::Position place = at(word);
    return place.line != from.line ? place.line < from.line : place.column <= from.column;
  };
  const auto behind = std::ranges::partition_point(found->second, is_before);
  return at(behind == found->second.end() ? found->second.front() : *behind);
}

}  // namespace scenarios

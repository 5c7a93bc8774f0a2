// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/xml_tags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace scenarios {
namespace {

constexpr std::string_view kSpace = " \t\n";

// The five entities that XML knows by itself.
std::string decoded(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kEntities{
      {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    const auto entity = std::ranges::find_if(
        kEntities, [&](const auto& one) { return text.substr(at).starts_with(one.first); });
    const bool found = entity != kEntities.end();
    plain += found ? entity->second : text[at];
    at += found ? entity->first.size() : 1;
  }
  return plain;
}

// Lives only during `xml_tags`.
class Scan {
 public:
  Scan(const std::string& text, sim::Diagnostics& diagnostics)
      : text_(text), diagnostics_(diagnostics) {}

  std::optional<std::vector<XmlTag>> all() {
    while (sound_) {
      const std::size_t open = text_.find('<', at_);
      if (open == std::string::npos) break;
      move_to(open);
      if (!step_over("<!--", "-->") && !step_over("<![CDATA[", "]]>") && !step_over("<?", "?>") &&
          !step_over("<!", ">")) {
        take_tag();
      }
    }
    if (sound_ && !open_.empty()) fault("the file ends too early", "</" + open_.back() + ">");
    if (!sound_) return std::nullopt;
    return std::move(tags_);
  }

 private:
  // Counts lines on the way.
  void move_to(std::size_t to) {
    for (; at_ < to; ++at_) {
      if (text_[at_] != '\n') continue;
      ++line_;
      start_ = at_ + 1;
    }
  }

  sim::Position here() const { return {line_, static_cast<int>(at_ - start_) + 1}; }

  void fault(std::string what, std::string expected) {
    diagnostics_.add({here(), std::move(what), std::move(expected)});
    sound_ = false;
  }

  bool step_over(std::string_view begin, std::string_view end) {
    if (text_.compare(at_, begin.size(), begin) != 0) return false;
    const std::size_t found = text_.find(end, at_ + begin.size());
    if (found == std::string::npos) {
      fault("it never ends", std::string(end));
    } else {
      move_to(found + end.size());
    }
    return true;
  }

  // Where the tag ends: > outside of quotes.
  std::size_t end_of_tag() const {
    char quote = '\0';
    for (std::size_t at = at_; at < text_.size(); ++at) {
      const char c = text_[at];
      if (quote != '\0') {
        if (c == quote) quote = '\0';
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '>') {
        return at;
      }
    }
    return std::string::npos;
  }

  void take_tag() {
    const std::size_t end = end_of_tag();
    if (end == std::string::npos) return fault("a tag that never ends", ">");
    std::string_view inner(text_.data() + at_ + 1, end - at_ - 1);
    XmlTag tag;
    tag.place = here();
    tag.empty = inner.ends_with('/');
    if (tag.empty) inner.remove_suffix(1);
    const std::size_t name = std::min(inner.find_first_of(kSpace), inner.size());
    tag.name = inner.substr(0, name);
    read_attributes(inner.substr(name), tag);
    if (!nests(tag)) return;
    move_to(end + 1);
    tag.inside = here();
    tags_.push_back(std::move(tag));
  }

  // Boost's reader would take any closing tag for the one that is due.
  bool nests(const XmlTag& tag) {
    if (tag.name.starts_with('/')) {
      const std::string due = open_.empty() ? "" : open_.back();
      if (tag.name.substr(1) != due) {
        fault(fmt::format("{} closes nothing that is open", sim::quoted("<" + tag.name + ">")),
              due.empty() ? "no closing tag" : "</" + due + ">");
        return false;
      }
      open_.pop_back();
    } else if (!tag.empty) {
      open_.push_back(tag.name);
    }
    if (open_.size() > kMostTagDepth) fault("tags nest too deep", "a flat graph");
    return sound_;
  }

  static void read_attributes(std::string_view text, XmlTag& tag) {
    while (true) {
      text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
      const std::size_t sign = text.find('=');
      const std::size_t open = text.find_first_of("\"'", std::min(sign, text.size()));
      if (sign == std::string_view::npos || open == std::string_view::npos) return;
      const std::size_t close = text.find(text[open], open + 1);
      if (close == std::string_view::npos) return;
      std::string name(text.substr(0, sign));
      name.erase(name.find_last_not_of(kSpace) + 1);
      tag.attributes.try_emplace(std::move(name), decoded(text.substr(open + 1, close - open - 1)));
      text.remove_prefix(close + 1);
    }
  }

  const std::string& text_;
  sim::Diagnostics& diagnostics_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;  // of the line
  int line_ = 1;
  bool sound_ = true;
  std::vector<std::string> open_;
  std::vector<XmlTag> tags_;
};

}  // namespace

std::optional<std::vector<XmlTag>> xml_tags(const std::string& text,
                                            sim::Diagnostics& diagnostics) {
  return Scan(text, diagnostics).all();
}

}  // namespace scenarios

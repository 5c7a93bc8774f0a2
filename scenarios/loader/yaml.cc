// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <exception>
#include <sstream>
#include <utility>
#include <vector>

#include "scenarios/loader/text_check.h"

namespace scenarios {
namespace {

using sim::Diagnostic;
using sim::Position;
using sim::Value;

// Ends the parse from inside a callback; caught in parse_yaml.
struct Refusal {
  Diagnostic diagnostic;
};

Position place_of(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

// Builds the tree. `open_` holds the lists and maps that are not closed yet, innermost last.
class TreeBuilder final : public YAML::EventHandler {
 public:
  [[nodiscard]] Value take() && { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) {
      throw Refusal{{place_of(mark), "a second YAML document", "one document per file",
                     "put each scenario into a file of its own"}};
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const Position place = place_of(mark);
    begin_node(place, "", anchor);
    if (expects_key()) refuse_key(place);
    // An empty value has no text of its own: its key is the place to show.
    const bool of_key = !open_.empty() && open_.back().pending;
    add(Value{Value::Kind::kNull, of_key ? open_.back().key_place : place, "", {}, {}});
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    throw Refusal{{place_of(mark), "aliases (*name) are not supported", "the value itself",
                   "write the value out"}};
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    const Position place = place_of(mark);
    begin_node(place, tag, anchor);
    if (first_control(text) != std::string::npos) {
      throw Refusal{
          {place, "an escape in this text stands for a control character", "printable text", ""}};
    }
    if (expects_key()) return take_key(place, text);
    add(Value{Value::Kind::kScalar, place, text, {}, {}});
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(Value::Kind::kList, place_of(mark), tag, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(Value::Kind::kMap, place_of(mark), tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Value value;
    bool pending = false;  // a key waits for its value
    std::string key;
    Position key_place;
  };

  [[nodiscard]] bool expects_key() const {
    return !open_.empty() && open_.back().value.kind == Value::Kind::kMap && !open_.back().pending;
  }

  void begin_node(Position place, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      throw Refusal{{place, "anchors (&name) are not supported", "the value itself",
                     "write the value out where it is needed"}};
    }
    // The parser reports "?" for plain and "!" for quoted text.
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw Refusal{{place, "tags (!name) are not supported", "the value itself",
                     "leave the tag out: each key knows its kind of value"}};
    }
    if (++nodes_ > kMostNodes) {
      throw Refusal{
          {place, fmt::format("more than {} keys and values", kMostNodes), "a smaller file", ""}};
    }
  }

  [[noreturn]] static void refuse_key(Position place) {
    throw Refusal{
        {place, "a key must be text", "key: value", "is a bracket before it not closed?"}};
  }

  void take_key(Position place, const std::string& text) {
    if (text == "<<") {
      throw Refusal{
          {place, "merge keys (<<) are not supported", "key: value", "write the keys out"}};
    }
    Open& map = open_.back();
    map.pending = true;
    map.key = text;
    map.key_place = place;
  }

  void open(Value::Kind kind, Position place, const std::string& tag, YAML::anchor_t anchor) {
    begin_node(place, tag, anchor);
    if (expects_key()) refuse_key(place);
    if (open_.size() == kMostDepth) {
      throw Refusal{{place, fmt::format("nested more than {} levels deep", kMostDepth),
                     "a flatter file", ""}};
    }
    Open node;
    node.value.kind = kind;
    node.value.position = place;
    open_.push_back(std::move(node));
  }

  void close() {
    Value value = std::move(open_.back().value);
    open_.pop_back();
    add(std::move(value));
  }

  void add(Value value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& parent = open_.back();
    if (parent.value.kind == Value::Kind::kList) {
      parent.value.items.push_back(std::move(value));
      return;
    }
    parent.value.entries.push_back({std::move(parent.key), parent.key_place, std::move(value)});
    parent.key.clear();
    parent.pending = false;
  }

  Value root_;
  std::vector<Open> open_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
};

Value build_tree(const std::string& text) {
  // yaml-cpp 0.7 takes a quote that is never closed for closed when the text ends with a new line.
  const std::size_t end = text.find_last_not_of(" \n\t");
  std::istringstream stream(text.substr(0, end == std::string::npos ? 0 : end + 1));
  YAML::Parser parser(stream);
  TreeBuilder builder;
  while (parser.HandleNextDocument(builder)) {
  }
  return std::move(builder).take();
}

}  // namespace

std::string clean_text(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (!pair) clean += text[i] == '\r' ? '\n' : text[i];
  }
  return clean;
}

std::optional<Value> parse_yaml(const std::string& text, sim::Diagnostics& diagnostics) {
  if (!check_text(text, diagnostics)) return std::nullopt;
  try {
    return build_tree(text);
  } catch (const Refusal& refusal) {
    diagnostics.add(refusal.diagnostic);
  } catch (const YAML::Exception& fault) {
    diagnostics.add({place_of(fault.mark), "not valid YAML: " + fault.msg, "", ""});
  } catch (const std::exception& fault) {
    diagnostics.add({{}, std::string("not valid YAML: ") + fault.what(), "", ""});
  }
  return std::nullopt;
}

}  // namespace scenarios

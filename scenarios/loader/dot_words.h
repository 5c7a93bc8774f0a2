// SPDX-License-Identifier: GPL-2.0-only
// The words of a DOT text with their places: what Boost's reader does not tell, and without which a
// fault could not be shown where it is. Judges nothing but brackets and quotes that never close.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/loader/drawn_graph.h"
#include "sim/base/diagnostic.h"

namespace scenarios {

struct DotWord {
  std::string text;       // without quotes
  bool is_name = false;   // an identifier, number or quoted text; else punctuation
  std::size_t begin = 0;  // bytes
  std::size_t end = 0;
};

// Empty after a fault was reported.
[[nodiscard]] std::optional<std::vector<DotWord>> dot_words(const std::string& text,
                                                            sim::Diagnostics& diagnostics);

// Where things stand in a text that has been read. Edges of a pair are asked for in their order.
class DotPlaces {
 public:
  DotPlaces(const std::string& text, const std::vector<DotWord>& words);

  [[nodiscard]] sim::Position node(const std::string& name) const;
  [[nodiscard]] sim::Position next_edge(const std::string& from, const std::string& to);
  // Of the value in `key = value`, first after `from`, else anywhere (a default).
  [[nodiscard]] sim::Position value(const std::string& key, const std::string& value,
                                    sim::Position from) const;

 private:
  [[nodiscard]] sim::Position at(std::size_t word) const;

  std::vector<sim::Position> places_;  // by word
  std::map<std::string, std::size_t> node_;
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> edges_;  // last first
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> values_;
};

}  // namespace scenarios

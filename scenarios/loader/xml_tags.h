// SPDX-License-Identifier: GPL-2.0-only
// The tags of an XML text with their places: what Boost's reader of GraphML does not tell, and
// without which a fault could not be shown where it is. Comments, CDATA and declarations are
// stepped over. Reports what never closes and what nests too deep.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"

namespace scenarios {

struct XmlTag {
  std::string name;  // "node", "/node"
  std::map<std::string, std::string> attributes;
  sim::Position place;
  sim::Position inside;  // behind the tag: where its text begins
  bool empty = false;    // <node/>

  // Null when it is not there.
  [[nodiscard]] const std::string* find(const std::string& attribute) const {
    const auto found = attributes.find(attribute);
    return found == attributes.end() ? nullptr : &found->second;
  }
};

inline constexpr std::size_t kMostTagDepth = 64;

// Empty after a fault was reported.
[[nodiscard]] std::optional<std::vector<XmlTag>> xml_tags(const std::string& text,
                                                          sim::Diagnostics& diagnostics);

}  // namespace scenarios

// SPDX-License-Identifier: GPL-2.0-only
// Name -> (summary, declared keys, maker). Topologies, algorithms, engines and transports are each
// found through one Catalog, built from an explicit list: adding one is a new file and one line.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/key.h"

namespace sim {

template <class Maker>
class Catalog {
 public:
  struct Entry {
    std::string name;
    std::string summary;    // one line
    std::vector<Key> keys;  // what the maker reads
    Maker make;
  };

  explicit Catalog(std::vector<Entry> entries) : entries_(std::move(entries)) {}

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] const Entry* find(std::string_view name) const {
    for (const Entry& entry : entries_) {
      if (entry.name == name) return &entry;
    }
    return nullptr;
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Entry& entry : entries_) names.push_back(entry.name);
    return names;
  }

 private:
  std::vector<Entry> entries_;
};

}  // namespace sim

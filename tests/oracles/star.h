// SPDX-License-Identifier: GPL-2.0-only
// Stars to try the closed forms on, and the scenario text that describes one.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/oracles/alpha_beta.h"

namespace oracle {

inline Star with_end_costs(Star star) {
  star.launch = 6'000'000;
  star.per_transfer = 1'500'000;
  star.issue_gap = 50'000;
  star.memory = 200'000;
  star.reduce_rate = 400'000'000'000;
  star.copy_rate = 200'000'000'000;
  return star;
}

// Plain; with headers, a rate that does not divide and a slow switch; each with both ways of
// forwarding, with and without costs at the ends.
inline std::vector<std::pair<std::string, Star>> stars() {
  Star odd;
  odd.bandwidth = 46'700'000'003;
  odd.wire = 123'457;
  odd.switch_latency = 150'001;
  odd.packet = 1'000;
  odd.header = 37;
  std::vector<std::pair<std::string, Star>> all;
  for (const auto& [name, plain] : {std::pair{"plain", Star{}}, std::pair{"odd", odd}}) {
    Star cut = plain;
    cut.cut_through = true;
    all.emplace_back(name, plain);
    all.emplace_back(fmt::format("{}, cut through", name), cut);
    all.emplace_back(fmt::format("{}, with end costs", name), with_end_costs(plain));
    all.emplace_back(fmt::format("{}, cut through, with end costs", name), with_end_costs(cut));
  }
  return all;
}

struct Work {
  std::string collective;
  std::string algorithm;
  std::int64_t ranks = 0;
  std::vector<std::int64_t> bytes = {};  // none: the collective has no size
  std::string more = {};                 // further keys of the item, a line each
};

inline std::string text_of(const Star& star, std::int64_t ends, const std::vector<Work>& work,
                           const std::string& more_overrides = "") {
  std::string text = "scenario: star\ncluster:\n  topology: star\n  overrides:\n";
  text += star.overrides(ends) + more_overrides + "workload:\n";
  for (const Work& one : work) {
    text += fmt::format("  - collective: {}\n    group: {{chips: {}}}\n    algorithm: {}\n",
                        one.collective, one.ranks, one.algorithm);
    text += one.more;
    if (one.bytes.empty()) continue;
    text += "    bytes: [";
    for (const std::int64_t bytes : one.bytes) {
      text += fmt::format("{}{} B", text.back() == '[' ? "" : ", ", bytes);
    }
    text += "]\n";
  }
  return text;
}

}  // namespace oracle

// SPDX-License-Identifier: GPL-2.0-only
// `arrival` of an item of `workload`: ranks that come to the collective after the first one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/base/key.h"
#include "sim/base/units.h"
#include "sim/schedule/collective.h"

namespace scenarios {

// When ranks come:
//  fixed   some of them late by one time, the others first
//  normal  each by its own draw from a normal distribution, the sum of twelve even draws (the same
//          on every machine; within six deviations), moved so that the first comes at 0
//  trace   as given
struct Arrival {
  std::vector<sim::Rank> ranks;  // fixed
  sim::Time late;                // fixed
  sim::Time deviation;           // normal
  std::vector<sim::Time> times;  // trace, by rank

  [[nodiscard]] bool is_random() const { return deviation.value > 0; }
  // Of each of `ranks` ranks, how long after the first of them it comes.
  [[nodiscard]] std::vector<sim::Time> drawn(sim::Rank of, std::uint64_t seed) const;
};

[[nodiscard]] sim::Key arrival_key();

class ArrivalItem {
 public:
  // Reads `arrival` of `item`, if it is there; reports what the model lacks or has no use for.
  // Files are looked for in `folder`. `path` names the item in messages.
  ArrivalItem(const sim::Section& item, std::string path, const std::string& folder,
              sim::Diagnostics& diagnostics);

  [[nodiscard]] bool given() const { return section_ != nullptr; }
  [[nodiscard]] const Arrival& arrival() const { return arrival_; }
  // False after a fault was reported: a rank that is not there, or times of too few.
  [[nodiscard]] bool suits(sim::Rank ranks);
  // What it adds to the name of a group: "rank 3 late by 50 us".
  [[nodiscard]] const std::string& label() const { return label_; }

 private:
  void read_fixed();
  void read_trace(const std::string& folder);
  void read_file(const std::string& folder);
  void check_uses(const std::string& model);
  void report(const char* key, std::string what, std::string expected);

  const sim::Section* section_ = nullptr;
  std::string path_;
  sim::Diagnostics& diagnostics_;
  Arrival arrival_;
  std::string label_;
};

}  // namespace scenarios

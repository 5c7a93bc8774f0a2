// SPDX-License-Identifier: GPL-2.0-only
// Who plays which part in a workload item: the root, the pairs of a permute, the chunks of a chain.
#pragma once

#include <string>
#include <vector>

#include "collectives/collectives.h"
#include "sim/base/diagnostic.h"
#include "sim/base/key.h"

namespace scenarios {

[[nodiscard]] std::vector<sim::Key> role_keys();

class Roles {
 public:
  // Reads them from `item`; reports keys that the collective has no use for. `path` names the item.
  Roles(const sim::Section& item, std::string path, sim::Collective collective,
        sim::Diagnostics& diagnostics);

  // Into a job whose ranks are set. False after a fault was reported: a rank outside the group.
  [[nodiscard]] bool apply(collectives::Job& job);
  // What they add to the name of a group: "root 3", "shift 4", or "".
  [[nodiscard]] const std::string& label() const { return label_; }

 private:
  void refuse(const char* key, const char* use);
  void read_targets();
  [[nodiscard]] bool report(const char* key, std::string what, std::string expected);

  const sim::Section& item_;
  std::string path_;
  sim::Collective collective_;
  sim::Diagnostics& diagnostics_;
  std::vector<sim::Rank> targets_;
  std::string label_;
};

}  // namespace scenarios

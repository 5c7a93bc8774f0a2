// SPDX-License-Identifier: GPL-2.0-only
// `group` of an item of `workload`: which chips take part, and how many such groups at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/loader/groups.h"
#include "scenarios/loader/sizes.h"
#include "sim/base/diagnostic.h"
#include "sim/base/key.h"

namespace scenarios {

[[nodiscard]] sim::Key group_key();

// Groups of one size, group after group.
struct TakenGroups {
  std::int64_t chips = 0;   // of one group
  std::uint32_t count = 1;  // that run at once
  sim::Placement placement;
};

class GroupItem {
 public:
  // Reports keys that do not go together. `path` names the item in messages.
  GroupItem(const sim::Section& item, std::string path, sim::Diagnostics& diagnostics);

  // Every size of `group.chips` that there is room for, on `fabric`, one of `domains` equal ones
  // where the cluster is told by symmetry: then `placement` is on the first of them. What there is
  // no room for is reported.
  [[nodiscard]] std::vector<TakenGroups> take(const sim::Fabric& fabric, std::uint32_t domains);

  // "8 chips, sled_first, stride 4": how results name such a group.
  [[nodiscard]] std::string shown(const TakenGroups& taken, const sim::Fabric& fabric) const;
  // "8 chips stride 4": the same in the name of a case.
  [[nodiscard]] std::string label(const TakenGroups& taken) const;

 private:
  [[nodiscard]] std::string members_text() const;
  void report(sim::Position place, std::string what, std::string expected, std::string hint = "");
  [[nodiscard]] bool order(const sim::Fabric& fabric);
  [[nodiscard]] bool pick_members(const sim::Fabric& fabric);
  [[nodiscard]] std::optional<std::size_t> member(const sim::Fabric& fabric, std::size_t number);
  [[nodiscard]] std::optional<TakenGroups> take(const GroupSize& size, const sim::Fabric& fabric,
                                                std::uint32_t domains);
  [[nodiscard]] std::optional<std::uint32_t> count_at_once(const Pattern& pattern,
                                                           std::uint32_t domains);
  [[nodiscard]] bool whole_domains(const GroupSize& size, std::int64_t wanted, std::int64_t drawn);

  const sim::Section& group_;
  std::string path_;
  sim::Diagnostics& diagnostics_;
  std::vector<GroupSize> sizes_;
  std::size_t stride_;
  std::size_t first_ = 0;  // chips of the strided order left out before the group
  Chips chips_;            // in the order of the span, or the members
};

}  // namespace scenarios

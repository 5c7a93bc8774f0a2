// SPDX-License-Identifier: GPL-2.0-only
// Shortest legal ways over the live links of any fabric. Every node has a rank: its distance from
// the node with most live links, then its number. A legal way goes down in rank first and never
// down again once it has gone up, so no cycle of waits can form among such ways (up*/down*). Ways
// without NICs and ways over them are ranked apart, so they need a lane each. One search per
// destination, kept: one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/fabric/fabric.h"

namespace sim {

// The legal ways over one choice of links.
class LegalWays {
 public:
  LegalWays(const Fabric& fabric, bool over_nics) : fabric_(fabric), over_nics_(over_nics) {}

  [[nodiscard]] bool exists(EndpointId from, EndpointId to) const;
  // It must exist.
  void append(EndpointId from, EndpointId to, std::vector<LinkId>& links) const;

 private:
  // By node and phase (climbing, towards the root, is still allowed, or no longer).
  struct Step {
    LinkId link{};
    bool climbing = false;  // the phase after it
    std::uint32_t hops = 0;
  };
  using Steps = std::vector<Step>;

  void rank_nodes() const;
  [[nodiscard]] std::uint32_t next_root() const;
  [[nodiscard]] const Steps& steps(EndpointId to) const;
  [[nodiscard]] Steps search(NodeId goal) const;
  [[nodiscard]] bool usable(LinkId link) const;
  [[nodiscard]] bool climbs(LinkId link) const;

  const Fabric& fabric_;
  bool over_nics_;
  mutable std::vector<std::vector<LinkId>> into_;  // by node; filled at the first question
  mutable std::vector<std::uint32_t> level_;       // by node: links to the root
  mutable std::map<EndpointId, Steps> known_;
};

class Detours {
 public:
  explicit Detours(const Fabric& fabric) : inside_(fabric, false), over_nics_(fabric, true) {}

  [[nodiscard]] bool exists(EndpointId from, EndpointId to) const {
    return inside_.exists(from, to) || over_nics_.exists(from, to);
  }
  // One that crosses NICs is taken only where there is no other.
  [[nodiscard]] bool crosses_nics(EndpointId from, EndpointId to) const {
    return !inside_.exists(from, to);
  }
  void append(EndpointId from, EndpointId to, std::vector<LinkId>& links) const {
    (crosses_nics(from, to) ? over_nics_ : inside_).append(from, to, links);
  }

 private:
  LegalWays inside_;
  LegalWays over_nics_;
};

}  // namespace sim

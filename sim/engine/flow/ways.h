// SPDX-License-Identifier: GPL-2.0-only
// How fluid flows see a fabric: for each pair of endpoints the links that its transfers load, with
// integer weights, and the time that does not depend on what else moves.
//  - A transfer spreads evenly over all its paths: weight 1/paths each, as integers over one
//    denominator for the whole fabric.
//  - Links that the same pairs load in the same proportions are one link (a bundle).
//  - A link that cannot fill, because what feeds or follows it is no wider, is left out: exact.
//  - Headers take their share of a link's rate for full packets.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/base/units.h"
#include "sim/engine/flow/max_min.h"
#include "sim/fabric/routes.h"

namespace sim::flow {

struct EndPair {
  EndpointId from{};
  EndpointId to{};

  auto operator<=>(const EndPair&) const = default;
};

class FlowWays {
 public:
  struct Way {
    std::uint32_t first_share = 0;
    std::uint32_t shares = 0;
    std::uint32_t port = 0;  // number of its first link among all first links
    Bandwidth port_rate;     // of its first link, for payload
    bool crosses_nic = false;
    std::int64_t latency_ps = 0;  // wires and nodes
    std::int64_t fill_ps = 0;     // of one full packet through nodes that store and forward
    std::int64_t payload = 0;     // bytes of a full packet
  };

  // `pairs`: of all transfers to come; sorted, each once. `most_paths`: of the lossy (Ethernet)
  // ones.
  FlowWays(const Topology& topology, std::vector<EndPair> pairs, std::uint32_t most_paths);
  // Links told one by one: pair i has ways[i] and loads shares[first_share .. + shares).
  struct Told {
    std::uint32_t endpoints = 0;
    std::vector<EndPair> pairs;  // sorted, each once
    std::vector<Way> ways;
    std::vector<Share> shares;
    std::vector<LinkRate> links;
    std::uint32_t ports = 0;
    Bandwidth largest;
  };
  explicit FlowWays(Told told);

  [[nodiscard]] std::uint32_t number(EndpointId from, EndpointId to) const;
  [[nodiscard]] const Way& way(std::uint32_t pair) const { return ways_[pair]; }
  [[nodiscard]] std::span<const Share> shares(std::uint32_t pair) const {
    return {shares_.data() + ways_[pair].first_share, ways_[pair].shares};
  }
  [[nodiscard]] const std::vector<EndPair>& pairs() const { return pairs_; }
  [[nodiscard]] const std::vector<LinkRate>& links() const { return rates_; }
  [[nodiscard]] std::uint32_t ports() const { return ports_; }
  [[nodiscard]] Bandwidth largest() const { return largest_; }
  // Of a network that this one is a part of: the unit of rates follows from it.
  void set_largest(Bandwidth largest) { largest_ = largest; }
  [[nodiscard]] std::uint32_t largest_weight() const { return largest_weight_; }

  // From the last byte on the wire to the last byte at the receiver's memory port.
  [[nodiscard]] Time delay(std::uint32_t pair, Bytes bytes) const {
    return delay_of(ways_[pair], bytes);
  }
  [[nodiscard]] static Time delay_of(const Way& way, Bytes bytes);

  // Calls visit(link, share of the pair's bytes as a fraction count / paths) for every fabric link.
  template <class Visit>
  void for_each_link(std::uint32_t pair, Visit visit) const {
    std::vector<LinkId> links;
    const std::uint32_t paths = paths_used(pairs_[pair]);
    for (std::uint32_t p = 0; p < paths; ++p) {
      links.clear();
      append_used_path(pairs_[pair], p, links);
      for (const LinkId link : links) visit(link, paths);
    }
  }

 private:
  struct Raw;  // before bundling

  [[nodiscard]] std::uint32_t paths_used(const EndPair& pair) const;
  void append_used_path(const EndPair& pair, std::uint32_t path, std::vector<LinkId>& links) const;
  void index_pairs(std::uint32_t endpoints);
  void describe(std::uint32_t pair);
  [[nodiscard]] std::int64_t fill(const std::vector<LinkId>& path, std::int64_t payload) const;

  const Topology* topology_ = nullptr;
  std::vector<EndPair> pairs_;
  std::vector<std::uint32_t>
      first_of_;  // by sending endpoint, into pairs_; one more than endpoints
  std::uint32_t most_paths_;
  std::int64_t plain_payload_ = 4'096;  // where no link sets a limit
  std::vector<Way> ways_;
  std::vector<Share> shares_;
  std::vector<LinkRate> rates_;
  std::uint32_t largest_weight_ = 1;
  Bandwidth largest_;  // rate of the fastest link of the fabric
  std::unordered_map<std::uint32_t, std::uint32_t> port_of_;  // by first link
  std::uint32_t ports_ = 0;
};

// Payload rate of a link: usable, headers of full packets taken off.
[[nodiscard]] Bandwidth payload_rate(const Fabric& fabric, LinkId link);

}  // namespace sim::flow

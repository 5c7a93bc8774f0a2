// SPDX-License-Identifier: GPL-2.0-only
// Which of a pair's paths between NICs its packets take. Long transfers spread over all of them,
// short ones stay with one NIC of each chip where chips have several (as aws-ofi-nccl stripes over
// rails), and none takes a link that is known to be down. A link that goes down while a case runs
// is known `reroute_time` later: until then packets are lost on it, and only congestion control
// steers away from it.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/packet/reliable.h"
#include "sim/engine/packet/way.h"

namespace sim::packet {

class PathChoice {
 public:
  // `reroute_time` in ps; kNever: paths stay as they are.
  PathChoice(const Topology& topology, Ways& ways, std::int64_t reroute_time)
      : topology_(topology), ways_(ways), reroute_time_(reroute_time) {}

  // Before the run. `to` is kNever for good.
  void goes_down(LinkId link, std::int64_t from, std::int64_t to);
  // Takes in what is known by now; says how often paths have been set anew.
  std::uint16_t epoch(std::int64_t now) {
    return next_ == changes_.size() || changes_[next_].time > now ? epoch_ : follow(now);
  }

  // The pair of NICs that a transfer stays with; leaves `way` as it is where a chip has one NIC.
  void take_one_nic(ReliableWay& way, std::uint32_t transfer);
  // The path of the topology that is path `number` of the transfer.
  [[nodiscard]] std::uint32_t choose(const ReliableWay& way, std::uint32_t number);

 private:
  struct Change {
    std::int64_t time = 0;
    LinkId link{};
    bool down = false;
  };

  std::uint16_t follow(std::int64_t now);
  [[nodiscard]] bool fits(const ReliableWay& way, std::uint32_t path);
  [[nodiscard]] bool works(const std::vector<LinkId>& links) const;

  const Topology& topology_;
  Ways& ways_;
  std::int64_t reroute_time_;
  std::vector<Change> changes_;  // by time
  std::size_t next_ = 0;
  std::vector<std::uint8_t> down_;  // by link: outages known of
  std::uint32_t links_down_ = 0;
  std::uint16_t epoch_ = 0;
};

}  // namespace sim::packet

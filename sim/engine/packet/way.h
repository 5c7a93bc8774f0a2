// SPDX-License-Identifier: GPL-2.0-only
// The way of one transfer over a fabric: the port it leaves by, how it is cut into packets, whether
// it crosses NICs and lossy links. Worked out from the Routes of the topology, never stored per
// packet.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/fabric/routes.h"

namespace sim::packet {

class Ways {
 public:
  // `endless`: Ethernet neither drops nor holds back, so that nothing needs a reliable transport.
  explicit Ways(const Topology& topology, bool endless = false);

  struct Way {
    std::uint32_t port = 0;       // first link
    std::uint32_t last_port = 0;  // last link
    std::uint32_t payload = 0;    // most payload bytes per packet
    bool crosses_nic = false;
    bool lossy = false;  // any link that may drop: needs a reliable transport
  };

  // The way along path 0, which `path` then holds.
  [[nodiscard]] Way way(EndpointId from, EndpointId to);
  // Links of one path; valid until the next call, as `links` meanwhile.
  [[nodiscard]] const std::vector<LinkId>& path(EndpointId from, EndpointId to, std::uint32_t path);
  [[nodiscard]] const std::vector<LinkId>& links() const { return links_; }
  // The part of `links` from the first to the last lossy link.
  struct Part {
    std::size_t first = 0;
    std::size_t end = 0;
  };
  [[nodiscard]] Part lossy_part(const std::vector<LinkId>& links) const;

  // What a full packet carries on this link, most of the time.
  [[nodiscard]] std::uint32_t usual_payload(LinkId link) const;
  // Lanes that the routes use.
  [[nodiscard]] std::uint8_t lanes() const { return lanes_; }

 private:
  const Topology& topology_;
  // What a link means for the ways that take it.
  struct Mark {
    std::uint32_t payload = 0xffff'ffffU;  // most payload bytes per packet
    bool lossy = false;
    bool to_nic = false;
  };
  std::vector<Mark> marks_;  // by link
  std::vector<LinkId> links_;
  std::uint32_t plain_payload_ = 4096;  // where no link sets a limit
  std::uint32_t lossy_payload_ = 0;
  std::uint8_t lanes_ = 1;
};

}  // namespace sim::packet

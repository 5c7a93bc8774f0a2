// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/way.h"

#include <algorithm>

#include "sim/base/check.h"

namespace sim::packet {

Ways::Ways(const Topology& topology, bool endless)
    : topology_(topology), lanes_(topology.routes->lanes()) {
  std::uint32_t plain = 0;
  for (const LinkClass& kind : topology.fabric->classes()) {
    const auto payload = static_cast<std::uint32_t>(kind.payload.value);
    std::uint32_t& largest = kind.flow == FlowControl::kDrop ? lossy_payload_ : plain;
    largest = std::max(largest, payload);
  }
  if (plain != 0) plain_payload_ = plain;
  const Fabric& fabric = *topology.fabric;
  marks_.resize(fabric.links().size());
  for (std::uint32_t i = 0; i < marks_.size(); ++i) {
    const LinkClass& kind = fabric.kind(LinkId(i));
    Mark& mark = marks_[i];
    if (kind.payload.value > 0) mark.payload = static_cast<std::uint32_t>(kind.payload.value);
    mark.lossy = kind.flow == FlowControl::kDrop && !endless;
    mark.to_nic = fabric.node(fabric.link(LinkId(i)).to).kind == NodeKind::kNic;
  }
}

const std::vector<LinkId>& Ways::path(EndpointId from, EndpointId to, std::uint32_t path) {
  links_.clear();
  topology_.routes->append_path(from, to, path, links_);
  return links_;
}

Ways::Way Ways::way(EndpointId from, EndpointId to) {
  constexpr std::uint32_t kNoLimit = Mark{}.payload;
  Way way;
  std::uint32_t payload = kNoLimit;
  for (const LinkId link : path(from, to, 0)) {
    const Mark& mark = marks_[index(link)];
    payload = std::min(payload, mark.payload);
    way.lossy = way.lossy || mark.lossy;
    way.crosses_nic = way.crosses_nic || mark.to_nic;
  }
  CHECK(!links_.empty());
  way.port = index(links_.front());
  way.last_port = index(links_.back());
  way.payload = payload == kNoLimit ? plain_payload_ : payload;
  return way;
}

Ways::Part Ways::lossy_part(const std::vector<LinkId>& links) const {
  const auto lossy = [&](LinkId link) {
    return topology_.fabric->kind(link).flow == FlowControl::kDrop;
  };
  const auto first = std::find_if(links.begin(), links.end(), lossy);
  const auto last = std::find_if(links.rbegin(), links.rend(), lossy);
  return {static_cast<std::size_t>(first - links.begin()),
          static_cast<std::size_t>(last.base() - links.begin())};
}

std::uint32_t Ways::usual_payload(LinkId id) const {
  const Fabric& fabric = *topology_.fabric;
  const std::int64_t own = fabric.kind(id).payload.value;
  if (own > 0) return static_cast<std::uint32_t>(own);
  const Link& link = fabric.link(id);
  const bool at_nic =
      fabric.node(link.from).kind == NodeKind::kNic || fabric.node(link.to).kind == NodeKind::kNic;
  return at_nic && lossy_payload_ > 0 ? lossy_payload_ : plain_payload_;
}

}  // namespace sim::packet

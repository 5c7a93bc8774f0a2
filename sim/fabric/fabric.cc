// SPDX-License-Identifier: GPL-2.0-only
#include "sim/fabric/fabric.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/base/check.h"
#include "sim/base/quantity.h"

namespace sim {

namespace {

template <class Id, class List>
Id append(List& list, typename List::value_type item) {
  CHECK(list.size() < std::numeric_limits<std::uint32_t>::max());
  list.push_back(std::move(item));
  return Id{static_cast<std::uint32_t>(list.size() - 1)};
}

void check_class(const LinkClass& kind) {
  CHECK(!kind.name.empty());
  CHECK(kind.efficiency > 0 && kind.efficiency <= kRatioOne);
  CHECK(kind.buffer.value >= 0 && kind.payload.value >= 0 && kind.header.value >= 0);
  CHECK(kind.flow == FlowControl::kUnbounded || kind.buffer.value > 0);
}

}  // namespace

std::span<const LinkId> Fabric::out_links(NodeId id) const {
  const std::uint32_t first = out_first_[index(id)];
  return std::span(out_).subspan(first, out_first_[index(id) + 1] - first);
}

const Level* Fabric::level(std::string_view name) const {
  const auto found = std::ranges::find(levels_, name, &Level::name);
  return found == levels_.end() ? nullptr : &*found;
}

Bandwidth Fabric::usable(LinkId id) const {
  const auto raw = static_cast<unsigned __int128>(link(id).bandwidth.value);
  const auto share = static_cast<unsigned __int128>(kind(id).efficiency);
  const auto rate = static_cast<std::int64_t>(raw * share / kRatioOne);
  return Bandwidth(std::max<std::int64_t>(rate, 1));
}

Time Fabric::passing(LinkId in, LinkId out) const {
  CHECK(link(in).to == link(out).from);
  const bool own =
      node(link(in).from).kind == NodeKind::kCore || node(link(out).to).kind == NodeKind::kCore;
  return own ? Time() : node(link(in).to).latency;
}

bool Fabric::cut_off(EndpointId id) const {
  const std::span<const LinkId> links = out_links(node_of(id));
  return !dead_.empty() && std::ranges::all_of(links, [this](LinkId link) { return dead(link); });
}

std::int64_t Fabric::pace(EndpointId id) const {
  return pace_.empty() ? kRatioOne : pace_[index(id)];
}

void Fabric::impair(LinkId id, std::int64_t share) {
  CHECK(share >= 0 && share <= kRatioOne);
  dead_.resize(links_.size(), false);
  if (sound_.empty()) {
    for (const Link& link : links_) sound_.push_back(link.bandwidth);
  }
  if (share == 0) {
    dead_[index(id)] = true;
    return;
  }
  const auto left =
      static_cast<std::int64_t>(static_cast<__int128>(sound_[index(id)].value) * share / kRatioOne);
  Bandwidth& rate = links_[index(id)].bandwidth;
  rate = std::min(rate, Bandwidth(std::max<std::int64_t>(left, 1)));
}

void Fabric::impair(EndpointId id, std::int64_t share) {
  CHECK(share > 0 && share <= kRatioOne);
  pace_.resize(endpoint_nodes_.size(), kRatioOne);
  pace_[index(id)] = std::min(pace_[index(id)], share);
}

std::string Fabric::describe(LinkId id) const {
  return fmt::format("{}: {} -> {}", kind(id).name, node(link(id).from).name,
                     node(link(id).to).name);
}

ClassId FabricBuilder::add_class(LinkClass link_class) {
  return append<ClassId>(fabric_.classes_, std::move(link_class));
}

NodeId FabricBuilder::add_node(Node node) {
  return append<NodeId>(fabric_.nodes_, std::move(node));
}

LinkId FabricBuilder::add_link(Link link) { return append<LinkId>(fabric_.links_, link); }

LinkId FabricBuilder::connect(NodeId a, NodeId b, ClassId kind, Bandwidth bandwidth, Time latency) {
  const LinkId there = add_link({a, b, kind, bandwidth, latency});
  add_link({b, a, kind, bandwidth, latency});
  return there;
}

EndpointId FabricBuilder::add_endpoint(NodeId node) {
  return append<EndpointId>(fabric_.endpoint_nodes_, node);
}

void FabricBuilder::add_level(std::string name, std::vector<std::uint32_t> group_of) {
  CHECK(group_of.size() == fabric_.endpoint_nodes_.size() && !group_of.empty());
  CHECK(fabric_.level(name) == nullptr);
  const std::uint32_t groups = *std::ranges::max_element(group_of) + 1;
  CHECK(groups <= group_of.size());
  std::vector<bool> used(groups, false);
  for (const std::uint32_t group : group_of) used[group] = true;
  CHECK(std::ranges::find(used, false) == used.end());
  fabric_.levels_.push_back({std::move(name), std::move(group_of), groups});
}

Fabric FabricBuilder::seal() && {
  const auto nodes = static_cast<std::uint32_t>(fabric_.nodes_.size());
  for (const LinkClass& kind : fabric_.classes_) check_class(kind);
  for (const Node& node : fabric_.nodes_) CHECK(node.latency.value >= 0);

  std::vector<std::uint32_t> first(nodes + 1, 0);
  for (const Link& link : fabric_.links_) {
    CHECK(index(link.from) < nodes && index(link.to) < nodes && link.from != link.to);
    CHECK(index(link.kind) < fabric_.classes_.size());
    CHECK(link.bandwidth.value > 0 && link.latency.value >= 0);
    ++first[index(link.from) + 1];
  }
  for (std::uint32_t node = 0; node < nodes; ++node) first[node + 1] += first[node];

  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  fabric_.out_.resize(fabric_.links_.size());
  for (std::uint32_t link = 0; link < fabric_.links_.size(); ++link) {
    fabric_.out_[next[index(fabric_.links_[link].from)]++] = LinkId{link};
  }
  fabric_.out_first_ = std::move(first);

  std::vector<bool> taken(nodes, false);
  for (const NodeId node : fabric_.endpoint_nodes_) {
    CHECK(index(node) < nodes && !taken[index(node)]);
    taken[index(node)] = true;
  }
  for (const Level& level : fabric_.levels_) {
    CHECK(level.group_of.size() == fabric_.endpoint_nodes_.size());
  }
  return std::move(fabric_);
}

}  // namespace sim

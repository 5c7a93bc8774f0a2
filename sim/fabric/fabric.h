// SPDX-License-Identifier: GPL-2.0-only
// Fabric: an immutable directed multigraph of cores, chips, NICs, switches and links, in index
// form. A FabricBuilder adds nodes, link classes and links; `seal` checks and freezes. Each link is
// one direction; `connect` adds both. Endpoints are the nodes where a rank can sit; each endpoint
// has a place at every level (chip, sled, rack, ...), outermost level last, used to form groups and
// bounds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "sim/base/units.h"

namespace sim {

enum class NodeId : std::uint32_t {};
enum class LinkId : std::uint32_t {};
enum class EndpointId : std::uint32_t {};
enum class ClassId : std::uint32_t {};

template <class Id>
constexpr std::uint32_t index(Id id) {
  return static_cast<std::uint32_t>(id);
}

enum class NodeKind : std::uint8_t { kCore, kChip, kNic, kSwitch };

// How a node passes packets on. Cut-through forwards from the head on, but never faster than the
// tail arrives; store-and-forward waits for the whole packet.
enum class Forwarding : std::uint8_t { kCutThrough, kStoreAndForward };

struct Node {
  NodeKind kind = NodeKind::kSwitch;
  Forwarding forwarding = Forwarding::kStoreAndForward;
  Time latency{};        // from arrival to readiness at the output port
  std::string name{};    // "chip(rack 0, sled 3, position 1)"
  bool reduces = false;  // a switch that can reduce what passes; nothing uses it by itself
};

// What happens when the receiving buffer of a link is full.
enum class FlowControl : std::uint8_t {
  kUnbounded,  // an idealisation: queues have no limit
  kCredits,    // lossless: the sender waits for credits of the receiver's input buffer
  kDrop,       // lossy: the packet is dropped at the full output queue
};

// Links of one class share their kind of wire and protocol.
struct LinkClass {
  std::string name;  // "sled link", as a planner calls it
  FlowControl flow = FlowControl::kUnbounded;
  Bytes buffer{};   // kCredits: input buffer per link and lane; kDrop: output queue
  Bytes payload{};  // most payload bytes per packet; 0: sets no limit
  Bytes header{};   // wire bytes added to every packet
  std::int64_t efficiency =
      1'000'000'000;  // share of the raw rate left for packets, parts per billion
};

struct Link {
  NodeId from{};
  NodeId to{};
  ClassId kind{};
  Bandwidth bandwidth;  // raw, this direction
  Time latency{};       // propagation
};

// One level of the hierarchy: which group each endpoint belongs to there.
struct Level {
  std::string name;                     // "sled"
  std::vector<std::uint32_t> group_of;  // by endpoint; ids count from 0
  std::uint32_t groups = 0;
};

class Fabric {
 public:
  [[nodiscard]] std::span<const Node> nodes() const { return nodes_; }
  [[nodiscard]] std::span<const Link> links() const { return links_; }
  [[nodiscard]] std::span<const LinkClass> classes() const { return classes_; }
  [[nodiscard]] std::span<const Level> levels() const { return levels_; }
  [[nodiscard]] std::uint32_t endpoints() const {
    return static_cast<std::uint32_t>(endpoint_nodes_.size());
  }

  [[nodiscard]] const Node& node(NodeId id) const { return nodes_[index(id)]; }
  [[nodiscard]] const Link& link(LinkId id) const { return links_[index(id)]; }
  [[nodiscard]] const LinkClass& kind(LinkId id) const { return classes_[index(link(id).kind)]; }
  [[nodiscard]] NodeId node_of(EndpointId id) const { return endpoint_nodes_[index(id)]; }
  [[nodiscard]] std::span<const LinkId> out_links(NodeId id) const;
  [[nodiscard]] const Level* level(std::string_view name) const;
  // Faults (faults.h). A dead link stays in the lists, but no route uses it.
  [[nodiscard]] bool dead(LinkId id) const { return !dead_.empty() && dead_[index(id)]; }
  // No live link leads away from it.
  [[nodiscard]] bool cut_off(EndpointId id) const;
  // Parts per billion of its own work that an endpoint does in the time it should.
  [[nodiscard]] std::int64_t pace(EndpointId id) const;

  // Rate left for payload on a link of this class, header apart: raw x efficiency, at least 1 B/s.
  [[nodiscard]] Bandwidth usable(LinkId id) const;
  // Time from arrival over `in` to readiness for `out`: the latency of the node between them, but
  // nothing at a chip that takes a packet from or hands it to one of its own cores: forwarding is
  // what transit pays, and the core link's latency covers the way to the ports.
  [[nodiscard]] Time passing(LinkId in, LinkId out) const;
  // "twin link: chip(rack 0, sled 3, position 1) -> chip(rack 1, sled 3, position 1)"
  [[nodiscard]] std::string describe(LinkId id) const;
  // For a copy with faults: leaves parts per billion of a link's rate (0: it is dead), or of an
  // endpoint's pace. The least share of several holds.
  void impair(LinkId id, std::int64_t share);
  void impair(EndpointId id, std::int64_t share);

 private:
  friend class FabricBuilder;

  std::vector<Node> nodes_;
  std::vector<Link> links_;
  std::vector<LinkClass> classes_;
  std::vector<Level> levels_;
  std::vector<NodeId> endpoint_nodes_;
  std::vector<std::uint32_t> out_first_;  // CSR over nodes
  std::vector<LinkId> out_;
  std::vector<bool> dead_;          // by link; empty: none
  std::vector<Bandwidth> sound_;    // by link, before faults; empty: none
  std::vector<std::int64_t> pace_;  // by endpoint; empty: all do their work in time
};

class FabricBuilder {
 public:
  ClassId add_class(LinkClass link_class);
  NodeId add_node(Node node);
  LinkId add_link(Link link);
  // Adds both directions; the reverse link's id follows the returned one.
  LinkId connect(NodeId a, NodeId b, ClassId kind, Bandwidth bandwidth, Time latency);
  EndpointId add_endpoint(NodeId node);
  // `group_of` has one entry per endpoint, added before.
  void add_level(std::string name, std::vector<std::uint32_t> group_of);

  // CHECKs ranges and sizes; the builder is spent afterwards.
  [[nodiscard]] Fabric seal() &&;

 private:
  Fabric fabric_;
};

}  // namespace sim

// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/clos_shape.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "sim/base/check.h"
#include "sim/base/quantity.h"
#include "topologies/keys.h"

namespace topologies {

namespace {

using sim::Bandwidth;
using sim::Failure;
using sim::Key;
using sim::Parameters;

using Wide = unsigned __int128;

constexpr std::uint64_t kMostLinks = 100'000'000;

std::uint32_t upward(std::uint32_t items, std::uint32_t per_group) {
  return static_cast<std::uint32_t>((std::uint64_t{items} + per_group - 1) / per_group);
}

// What `below` links of `rate` carry, less the oversubscription, over `above` links: rounded up, so
// that without oversubscription no byte per second is missing.
Bandwidth uplink(std::uint32_t below, Bandwidth rate, std::int64_t oversubscription,
                 std::uint32_t above) {
  const Wide all = static_cast<Wide>(rate.value) * below * static_cast<Wide>(sim::kRatioOne);
  const Wide share = static_cast<Wide>(oversubscription) * above;
  return Bandwidth(static_cast<std::int64_t>((all + share - 1) / share));
}

// Reads the tiers one after the other, as many as join something.
class Reading {
 public:
  Reading(const Parameters& parameters, NicSet nics) : parameters_(parameters) {
    shape_.nics = nics;
    shape_.rails = parameters.text("ethernet.wiring") == "rails";
  }

  sim::Result<ClosShape> read() {
    add_tors();
    const auto most = static_cast<std::uint32_t>(parameters_.count("ethernet.tiers"));
    while (shape_.tiers < most && groups() > 1) add_tier(most);
    if (groups() > 1) {
      return Failure{fmt::format("{} NICs do not fit on {} of {} NICs", shape_.nics.count(),
                                 most == 1 ? "one ToR" : "the tiers", shape_.children[0]),
                     "more ethernet.tiers or ethernet.nics_per_tor"};
    }
    if (auto fault = fault_in_ports()) return *fault;
    if (auto fault = fault_in_links()) return *fault;
    return shape_;
  }

 private:
  [[nodiscard]] std::uint32_t groups() const { return shape_.groups[shape_.tiers - 1]; }
  [[nodiscard]] std::uint32_t count(const std::string& name) const {
    return static_cast<std::uint32_t>(parameters_.count(name));
  }

  void add_tors() {
    const std::uint32_t nics = count("ethernet.nics_per_tor");
    shape_.children[0] = nics;
    shape_.parents[0] = shape_.planes[0] = count("ethernet.tors_per_nic");
    shape_.groups[0] = shape_.rails ? upward(shape_.nics.domains, nics) * shape_.nics.per_domain
                                    : upward(shape_.nics.count(), nics);
    const Bandwidth nic = parameters_.bandwidth("nic.bandwidth");
    shape_.rate[0] = uplink(1, nic, sim::kRatioOne, shape_.parents[0]);
  }

  // The tier is the top one where a switch has ports for all places, or where it has to be.
  void add_tier(std::uint32_t most) {
    const std::uint32_t tier = shape_.tiers++;
    shape_.parents[tier] =
        tier == 1 ? count("ethernet.spines") : count(tier_prefix(tier) + "parents");
    shape_.planes[tier] = shape_.planes[tier - 1] * shape_.parents[tier];
    set_rate(tier);
    const std::uint32_t all = shape_.groups[tier - 1];
    const bool topmost =
        tier + 1 == most || ports(all, shape_.rate[tier]) <= parameters_.count("ethernet.radix");
    shape_.children[tier] = topmost ? all : std::min(count(tier_prefix(tier) + "children"), all);
    shape_.groups[tier] = upward(all, shape_.children[tier]);
  }

  void set_rate(std::uint32_t tier) {
    // The nominal size counts: a cluster that fills no pod has the links of a full one.
    const std::uint32_t below =
        tier == 1 ? shape_.children[0] : count(tier_prefix(tier - 1) + "children");
    shape_.rate[tier] =
        uplink(below, shape_.rate[tier - 1],
               parameters_.ratio(tier_prefix(tier - 1) + "oversubscription"), shape_.parents[tier]);
  }

  // A link takes as many ports as its rate needs.
  [[nodiscard]] std::int64_t ports(std::uint32_t links, Bandwidth rate) const {
    const std::int64_t port = parameters_.bandwidth("ethernet.port_bandwidth").value;
    return static_cast<std::int64_t>(links) * ((rate.value + port - 1) / port);
  }

  [[nodiscard]] std::optional<Failure> fault_in_ports() const {
    for (std::uint32_t tier = 0; tier < shape_.tiers; ++tier) {
      std::int64_t used = ports(shape_.children[tier], shape_.rate[tier]);
      if (tier + 1 < shape_.tiers) used += ports(shape_.parents[tier + 1], shape_.rate[tier + 1]);
      const std::int64_t radix = parameters_.count("ethernet.radix");
      if (used <= radix) continue;
      return Failure{fmt::format("a switch of tier {} would need {} ports of {}", tier + 1, used,
                                 parameters_.find("ethernet.port_bandwidth")->value.text),
                     fmt::format("at most ethernet.radix = {}: more tiers, fewer children or a "
                                 "larger radix",
                                 radix)};
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Failure> fault_in_links() const {
    std::uint64_t links = std::uint64_t{shape_.nics.count()} * shape_.parents[0];
    for (std::uint32_t tier = 1; tier < shape_.tiers; ++tier) {
      links += std::uint64_t{shape_.groups[tier - 1]} * shape_.planes[tier];
    }
    if (links <= kMostLinks) return std::nullopt;
    return Failure{fmt::format("the network would have {} links", links),
                   fmt::format("at most {}: fewer and faster links up", kMostLinks)};
  }

  const Parameters& parameters_;
  ClosShape shape_;
};

Key ratio_key(std::string name, std::string help) {
  Key key = share_key(std::move(name), std::move(help));
  key.least = sim::kRatioOne;
  key.most = 64 * sim::kRatioOne;
  return key;
}

}  // namespace

std::string tier_prefix(std::uint32_t tier) {
  return tier == 0 ? "ethernet.tor." : fmt::format("ethernet.tier{}.", tier + 1);
}

std::uint32_t ClosShape::tor_of(std::uint32_t nic) const {
  if (!rails) return nic / children[0];
  return nic / nics.per_domain / children[0] * nics.per_domain + nic % nics.per_domain;
}

std::uint32_t ClosShape::group_of(std::uint32_t nic, std::uint32_t tier) const {
  std::uint32_t group = tor_of(nic);
  for (std::uint32_t above = 1; above <= tier; ++above) group /= children[above];
  return group;
}

std::uint32_t ClosShape::meeting_tier(std::uint32_t a, std::uint32_t b) const {
  std::uint32_t group_a = tor_of(a);
  std::uint32_t group_b = tor_of(b);
  std::uint32_t tier = 0;
  while (group_a != group_b) {
    ++tier;
    CHECK(tier < tiers);
    group_a /= children[tier];
    group_b /= children[tier];
  }
  return tier;
}

std::vector<Key> clos_keys() {
  constexpr CountRange kParents{1, 512};
  std::vector<Key> keys = {
      time_key("ethernet.switch_latency", "of a ToR or a switch above, unloaded"),
      time_key("ethernet.wire_latency", "of each link between NIC and ToR"),
      size_key("ethernet.buffer", kBufferBytes, "output queue of each Ethernet port"),
      count_key("ethernet.nics_per_tor", {1, 4096}, "NICs on one ToR"),
      count_key("ethernet.tors_per_nic", {1, 4},
                "ToRs that each NIC has a port on; its rate is shared equally"),
      choice_key("ethernet.wiring", {"rack", "rails"},
                 "rack: neighbouring NICs share a ToR; rails: NICs of the same number of "
                 "neighbouring servers do"),
      count_key("ethernet.spines", kParents, "second-tier switches that each ToR joins"),
      count_key("ethernet.tiers", {1, kMostTiers},
                "most tiers of switches; those that would join nothing are not drawn"),
      count_key("ethernet.radix", {2, 4096}, "ports of a switch"),
      bandwidth_key("ethernet.port_bandwidth", "of one port; faster links take several"),
      ratio_key("ethernet.tor.oversubscription", "what a ToR's NICs send over what it sends up"),
  };
  for (std::uint32_t tier = 1; tier < kMostTiers; ++tier) {
    const std::string prefix = tier_prefix(tier);
    keys.push_back(
        time_key(prefix + "wire_latency", "fibre to this tier from the one below, 5 ns a metre"));
    if (tier + 1 == kMostTiers) {
      keys.push_back(count_key(prefix + "parents", kParents,
                               "switches of this tier that each switch below joins"));
      break;
    }
    if (tier > 1) {
      keys.push_back(count_key(prefix + "parents", kParents,
                               "switches of this tier that each switch below joins"));
    }
    keys.push_back(count_key(prefix + "children", {1, 4096},
                             "places below a switch of this tier, where it is not the top one"));
    keys.push_back(ratio_key(prefix + "oversubscription",
                             "what comes from below over what a switch sends up"));
  }
  return keys;
}

sim::Result<ClosShape> clos_shape(const Parameters& parameters, NicSet nics) {
  return Reading(parameters, nics).read();
}

}  // namespace topologies

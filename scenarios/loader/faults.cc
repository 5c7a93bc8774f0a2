// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "scenarios/loader/pattern.h"
#include "sim/base/check.h"
#include "sim/base/quantity.h"
#include "sim/fabric/faults.h"

namespace scenarios {
namespace {

using sim::Diagnostics;
using sim::EndpointId;
using sim::Fabric;
using sim::FabricFaults;
using sim::Key;
using sim::LinkId;
using sim::NodeId;
using sim::NodeKind;
using sim::Section;

// All pairs are looked at; beyond this that would take minutes.
constexpr std::size_t kMostChecked = 20'000;
constexpr std::size_t kMostSuggested = 20'000;  // names that a hint is looked for among

// Reads the items of the section. Lives only during `apply_faults`.
class Reading {
 public:
  Reading(const Fabric& fabric, const sim::Parameters& parameters, Diagnostics& diagnostics)
      : fabric_(fabric), parameters_(parameters), diagnostics_(diagnostics) {}

  void add(const Section& item) {
    item_ = &item;
    const std::string& part = item.text("part");
    const bool slow = item.text("kind") == "slow";
    if (slow != item.has("share")) {
      report(slow ? "kind" : "share",
             slow ? "a slow part needs its 'share'" : "a dead part has no 'share'",
             slow ? "share: 50 %" : "kind: slow");
      return;
    }
    share_ = slow ? item.ratio("share") : 0;
    if (item.has("count") && !count_singles(part, slow)) return;
    if ((part == "link") != item.has("to")) {
      report(item.has("to") ? "to" : "name",
             part == "link" ? "a link needs its other end" : "'to' is only for part: link",
             part == "link" ? "to: the other node" : "no 'to'");
      return;
    }
    if (part == "link") return add_links();
    if (part == "plane") return add_plane();
    add_nodes(part);
  }

  FabricFaults faults;

 private:
  void report(const char* key, std::string what, std::string expected, std::string hint = "") {
    diagnostics_.add({item_->position(key), std::move(what), std::move(expected), std::move(hint)});
  }

  // Some of the switches, or of a chip's links to them, that are drawn as one: the others are left.
  bool count_singles(const std::string& part, bool slow) {
    const char* of = part == "switch" ? "switch.count" : "switch.links";
    const sim::Parameter* all = parameters_.find(of);
    if (slow || (part != "switch" && part != "link")) {
      report("count", "'count' is only for dead switches and links", "no 'count'");
      return false;
    }
    if (all == nullptr) {
      report("count", fmt::format("each {} of this fabric is drawn by itself", part), "no 'count'",
             "name the one that is dead");
      return false;
    }
    const std::int64_t dead = item_->count("count");
    if (dead > all->value.amount) {
      report("count", fmt::format("{} of {} cannot be dead", dead, all->value.amount),
             fmt::format("at most {} ({})", all->value.amount, of));
      return false;
    }
    share_ = (all->value.amount - dead) * sim::kRatioOne / all->value.amount;
    return true;
  }

  // Nodes of a kind whose name matches; both kinds of any when `kind` is null.
  std::vector<NodeId> nodes_named(const std::string& pattern, const NodeKind* kind) const {
    std::vector<NodeId> found;
    for (std::uint32_t node = 0; node < fabric_.nodes().size(); ++node) {
      const sim::Node& one = fabric_.nodes()[node];
      if (kind != nullptr && one.kind != *kind) continue;
      if (matches(pattern, one.name)) found.push_back(NodeId{node});
    }
    return found;
  }

  void report_none(const char* key, std::string_view part, const NodeKind* kind) {
    const std::string& name = item_->text(key);
    std::vector<std::string> names;
    for (const sim::Node& one : fabric_.nodes()) {
      if (names.size() == kMostSuggested) break;
      if (kind == nullptr || one.kind == *kind) names.push_back(one.name);
    }
    if (names.empty())
      return report("part", fmt::format("the fabric has no {}", part), "another part");
    const std::string near = sim::nearest(name, names);
    report(key, fmt::format("no {} is called {}", part, sim::quoted(name)),
           fmt::format("a name such as \"{}\", in which * stands for any text", names.front()),
           near.empty() ? "" : fmt::format("did you mean '{}'?", near));
  }

  void impair_links_of(NodeId node) {
    for (const LinkId out : fabric_.out_links(node)) {
      faults.links.push_back({out, share_});
      for (const LinkId back : fabric_.out_links(fabric_.link(out).to)) {
        if (fabric_.link(back).to == node) faults.links.push_back({back, share_});
      }
    }
  }

  void add_nodes(const std::string& part) {
    const NodeKind kind = part == "chip"  ? NodeKind::kChip
                          : part == "nic" ? NodeKind::kNic
                                          : NodeKind::kSwitch;
    const std::vector<NodeId> nodes = nodes_named(item_->text("name"), &kind);
    if (nodes.empty()) return report_none("name", part, &kind);
    for (const NodeId node : nodes) impair_links_of(node);
    if (part == "chip") add_cores(nodes);
  }

  // A chip's cores die or lag with it.
  void add_cores(const std::vector<NodeId>& chips) {
    const std::set<NodeId> hit(chips.begin(), chips.end());
    for (std::uint32_t end = 0; end < fabric_.endpoints() && share_ > 0; ++end) {
      const NodeId node = fabric_.node_of(EndpointId{end});
      const bool core = fabric_.node(node).kind == sim::NodeKind::kCore;
      const NodeId chip = core ? fabric_.link(fabric_.out_links(node)[0]).to : node;
      if (hit.contains(chip)) faults.ends.push_back({EndpointId{end}, share_});
    }
  }

  // "rack 1": of the switches of every rack; "network 1": of those between servers; "1": where
  // there is only one kind.
  void add_plane() {
    const std::string& name = item_->text("name");
    const std::size_t space = name.rfind(' ');
    const std::string number = space == std::string::npos ? name : name.substr(space + 1);
    std::vector<NodeId> found;
    std::set<std::string> kinds;
    for (std::uint32_t node = 0; node < fabric_.nodes().size(); ++node) {
      const sim::Node& one = fabric_.nodes()[node];
      if (one.kind != NodeKind::kSwitch || !is_of_plane(one.name, number)) continue;
      const std::string kind = one.name.starts_with("rack switch") ? "rack" : "network";
      if (space != std::string::npos && kind != name.substr(0, space)) continue;
      found.push_back(NodeId{node});
      kinds.insert(kind);
    }
    if (kinds.size() == 1) {
      for (const NodeId node : found) impair_links_of(node);
      return;
    }
    const char* expected = "rack or network and the number of a plane, such as rack 1";
    if (kinds.empty()) {
      report("name", fmt::format("the fabric has no plane {}", sim::quoted(name)), expected);
    } else {
      report("name", fmt::format("both racks and network have a plane {}", number), expected);
    }
  }

  static bool is_of_plane(std::string_view name, const std::string& number) {
    const std::string plane = "plane " + number;
    const std::size_t at = name.find(plane);
    if (number.empty() || at == std::string_view::npos) return false;
    const std::string_view rest = name.substr(at + plane.size());
    return rest.empty() || rest.front() == ')';
  }

  void add_links() {
    const std::vector<NodeId> from = nodes_named(item_->text("name"), nullptr);
    const std::vector<NodeId> to = nodes_named(item_->text("to"), nullptr);
    if (from.empty()) return report_none("name", "node", nullptr);
    if (to.empty()) return report_none("to", "node", nullptr);
    const std::set<NodeId> ends(to.begin(), to.end());
    std::size_t found = 0;
    for (const NodeId node : from) {
      for (const LinkId link : fabric_.out_links(node)) {
        const NodeId other = fabric_.link(link).to;
        if (!ends.contains(other)) continue;
        faults.links.push_back({link, share_});
        ++found;
        for (const LinkId back : fabric_.out_links(other)) {
          if (fabric_.link(back).to == node) faults.links.push_back({back, share_});
        }
      }
    }
    if (found > 0) return;
    report("to",
           fmt::format("no link joins {} and {}", sim::quoted(item_->text("name")),
                       sim::quoted(item_->text("to"))),
           "two nodes that are joined");
  }

  const Fabric& fabric_;
  const sim::Parameters& parameters_;
  Diagnostics& diagnostics_;
  const Section* item_ = nullptr;
  std::int64_t share_ = 0;
};

Key text(std::string name, std::string help, std::vector<std::string> choices = {}) {
  Key key;
  key.name = std::move(name);
  key.help = std::move(help);
  key.choices = std::move(choices);
  return key;
}

}  // namespace

std::vector<Key> fault_keys() {
  Key kind = text("kind", "Dead, or slow, from the start.", {"dead", "slow"});
  kind.required = true;
  Key part = text("part", "What is at fault.", {"link", "switch", "plane", "nic", "chip"});
  part.required = true;
  Key name = text("name",
                  "Its name, as drawings and results give it; * stands for any "
                  "text. Of a link: one end. Of a plane: rack or network and its number.");
  name.required = true;
  Key share = text("share",
                   "What is left of the rate of a slow part; of a slow chip also of its "
                   "own work.");
  share.dimension = sim::Dimension::kRatio;
  share.least = 1;
  share.most = sim::kRatioOne;
  Key count =
      text("count",
           "dead: so many of the switches that are drawn as one (an NVSwitch of a server), or "
           "of a chip's links to them; all when left out.");
  count.dimension = sim::Dimension::kCount;
  count.least = 1;
  return {kind, part, name, text("to", "The other end of a link."), share, count};
}

std::optional<FabricFaults> read_faults(const std::vector<const Section*>& items,
                                        const sim::Parameters& parameters, const Fabric& fabric,
                                        Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.count();
  Reading reading(fabric, parameters, diagnostics);
  for (const Section* item : items) reading.add(*item);
  if (diagnostics.count() > before) return std::nullopt;
  reading.faults.rerouting = parameters.text("fabric.rerouting") == "static"
                                 ? sim::Rerouting::kStatic
                                 : sim::Rerouting::kNone;
  return std::move(reading.faults);
}

sim::Topology apply_faults(const Section::Entry& faults, const sim::Parameters& parameters,
                           sim::Topology healthy, Diagnostics& diagnostics) {
  std::vector<const Section*> items;
  for (const Section& item : faults.sections) items.push_back(&item);
  const auto read = read_faults(items, parameters, *healthy.fabric, diagnostics);
  return read ? sim::with_faults(std::move(healthy), *read) : std::move(healthy);
}

void check_connected(const Section::Entry& faults, const sim::Topology& topology,
                     const std::vector<CaseSpec>& cases, Diagnostics& diagnostics) {
  std::set<std::vector<EndpointId>> seen;
  for (const CaseSpec& one : cases) {
    const std::vector<EndpointId>& ends = one.placement.endpoint_of;
    if (!seen.insert(ends).second) continue;
    if (ends.size() > kMostChecked) {
      diagnostics.add({faults.position, "too many ranks to check that faults cut none off",
                       fmt::format("at most {} ranks in a group", kMostChecked), ""});
      return;
    }
    const auto cut = sim::first_cut_pair(topology, ends);
    if (!cut) continue;
    const auto name = [&](EndpointId end) {
      return topology.fabric->node(topology.fabric->node_of(end)).name;
    };
    diagnostics.add({faults.position,
                     fmt::format("{} cannot reach {}, which {} needs", name(cut->from),
                                 name(cut->to), one.name),
                     "a fabric that joins all ranks of a group",
                     "fewer faults, another group, or fabric.rerouting: static"});
    return;
  }
}

}  // namespace scenarios

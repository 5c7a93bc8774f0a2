// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/outline_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "scenarios/loader/faults.h"
#include "scenarios/loader/pattern.h"
#include "sim/base/check.h"
#include "sim/base/quantity.h"
#include "sim/fabric/faults.h"
#include "topologies/outline.h"

namespace scenarios {
namespace {

using sim::Diagnostics;
using sim::EndpointId;
using sim::Fabric;
using sim::Outline;
using sim::PortShare;
using sim::Section;

constexpr std::string_view kDomain = "ultraserver ";

// A name as the whole cluster has it: which domains it may be in, and what it is called in one.
struct Named {
  std::optional<std::uint32_t> domain;  // empty: any
  std::string inside;
};

// "chip(ultraserver 3, rack 0, ...)" is "chip(rack 0, ...)" of domain 3; where * stands before or
// for the domain, any. Empty: no node of any domain is called so.
std::optional<Named> split(const std::string& name) {
  const std::size_t at = name.find(kDomain);
  if (at == std::string::npos) {
    const std::size_t star = name.find('*');
    const bool any = star != std::string::npos && star <= std::min(name.find('('), name.size()) + 1;
    return any ? std::optional(Named{std::nullopt, name}) : std::nullopt;
  }
  const std::size_t start = at + kDomain.size();
  const std::size_t end = name.find(", ", start);
  const std::string number = name.substr(start, end == std::string::npos ? end : end - start);
  if (number == "*" && end == std::string::npos)
    return Named{std::nullopt, name.substr(0, at) + "*"};
  if (end == std::string::npos) return std::nullopt;
  const std::string inside = name.substr(0, at) + name.substr(end + 2);
  if (number == "*") return Named{std::nullopt, inside};
  std::uint32_t domain = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), domain);
  if (read.ec != std::errc{} || read.ptr != number.data() + number.size()) return std::nullopt;
  return Named{domain, inside};
}

void set_text(Section& item, std::string_view key, const std::string& text) {
  for (Section::Entry& entry : item.entries) {
    if (entry.key == key) entry.scalars.at(0).text = text;
  }
}

class Telling {
 public:
  Telling(const sim::Parameters& parameters, Outline& outline, Diagnostics& diagnostics)
      : parameters_(parameters),
        outline_(outline),
        diagnostics_(diagnostics),
        of_domain_(outline.domains) {}

  void add(const Section& item) {
    const std::string& part = item.text("part");
    const bool dead = item.text("kind") == "dead";
    if (dead && (part == "chip" || part == "nic")) {
      return cannot(item, "part", "a dead " + part);
    }
    if (part == "plane") return add_plane(item);
    const std::optional<Named> name = split(item.text("name"));
    if (!name) return report_outside(item, "name");
    Section inside = item;
    set_text(inside, "name", name->inside);
    std::optional<std::uint32_t> domain = name->domain;
    if (item.has("to")) {
      const std::optional<Named> to = split(item.text("to"));
      if (!to) return report_outside(item, "to");
      if (domain && to->domain && *domain != *to->domain) {
        return cannot(item, "to", "a link between UltraServers");
      }
      if (!domain) domain = to->domain;
      set_text(inside, "to", to->inside);
    }
    if (domain && *domain >= outline_.domains) {
      diagnostics_.add({item.position("name"), fmt::format("there is no UltraServer {}", *domain),
                        fmt::format("ultraserver 0 to {}", outline_.domains - 1), ""});
      return;
    }
    if (part == "nic") return add_nics(item, inside, domain);
    add_inside(std::move(inside), domain);
    if (part == "chip") add_ports(item, item.text("kind") == "slow", inside_text_, domain, true);
  }

  void finish(sim::Topology& first) {
    tell_kinds();
    tell_ports();
    if (const std::uint32_t kind = outline_.kind(0); kind > 0) {
      first = sim::with_faults(std::move(first), kinds_[kind - 1]);
    }
  }

 private:
  void cannot(const Section& item, const char* key, const std::string& what) {
    diagnostics_.add({item.position(key), what + " cannot be told by symmetry",
                      "a slow chip or NIC, or a part inside an UltraServer",
                      "symmetry: never draws every chip"});
  }

  void report_outside(const Section& item, const char* key) {
    diagnostics_.add(
        {item.position(key),
         fmt::format("no part of an UltraServer is called {}", sim::quoted(item.text(key))),
         "a name such as \"chip(ultraserver 3, rack 0, sled 0, position 0)\"",
         "faults of the network between UltraServers need symmetry: never"});
  }

  void add_plane(const Section& item) {
    if (!item.text("name").starts_with("rack ")) {
      return cannot(item, "name", "a plane of the network");
    }
    add_inside(item, std::nullopt);
  }

  void add_inside(Section inside, std::optional<std::uint32_t> domain) {
    inside_text_ = inside.text("name");
    const auto number = static_cast<std::uint32_t>(items_.size());
    items_.push_back(std::move(inside));
    if (domain) return of_domain_[*domain].push_back(number);
    for (std::vector<std::uint32_t>& items : of_domain_) items.push_back(number);
  }

  // The ends of a domain whose chips match.
  [[nodiscard]] std::vector<std::uint32_t> ends_named(const std::string& pattern) const {
    const Fabric& fabric = *outline_.domain.fabric;
    std::vector<std::uint32_t> found;
    for (std::uint32_t end = 0; end < fabric.endpoints(); ++end) {
      if (matches(pattern, fabric.node(fabric.node_of(EndpointId{end})).name)) found.push_back(end);
    }
    return found;
  }

  void add_nics(const Section& item, const Section& inside, std::optional<std::uint32_t> domain) {
    std::string name = inside.text("name");
    if (!name.starts_with("nic(") && !name.starts_with("*")) return report_outside(item, "name");
    if (name.starts_with("nic")) name.replace(0, 3, "chip");
    add_ports(item, true, name, domain, false);
  }

  // A slow chip slows its bus and its own work, a slow NIC its bus and its links.
  void add_ports(const Section& item, bool slow, const std::string& pattern,
                 std::optional<std::uint32_t> domain, bool chip) {
    if (!slow || !item.has("share")) return;  // without its share it is reported elsewhere
    const std::vector<std::uint32_t> ends = ends_named(pattern);
    if (ends.empty() && !chip) return report_outside(item, "name");
    const std::int64_t share = item.ratio("share");
    const std::uint32_t first = domain.value_or(0);
    const std::uint32_t last = domain ? *domain + 1 : outline_.domains;
    for (std::uint32_t d = first; d < last; ++d) {
      for (const std::uint32_t end : ends) {
        PortShare& port = ports_[{end, d}];
        port.bus = std::min(port.bus, share);
        std::int64_t& other = chip ? port.work : port.nic;
        other = std::min(other, share);
      }
    }
  }

  // Domains to which the same items apply, and items that do the same, are of one kind.
  void tell_kinds() {
    using Print = std::pair<std::vector<std::pair<std::uint32_t, std::int64_t>>,
                            std::vector<std::pair<std::uint32_t, std::int64_t>>>;
    std::map<std::vector<std::uint32_t>, std::uint32_t> by_items;
    std::map<Print, std::uint32_t> by_print;
    outline_.kind_of.assign(outline_.domains, 0);
    for (std::uint32_t domain = 0; domain < outline_.domains; ++domain) {
      if (of_domain_[domain].empty()) continue;
      const auto [known, fresh] = by_items.try_emplace(of_domain_[domain], 0);
      if (fresh) {
        std::vector<const Section*> items;
        for (const std::uint32_t item : of_domain_[domain]) items.push_back(&items_[item]);
        const auto faults = read_faults(items, parameters_, *outline_.domain.fabric, diagnostics_);
        if (!faults) return;
        Print print;
        for (const auto& on : faults->links) print.first.emplace_back(index(on.link), on.share);
        for (const auto& on : faults->ends) print.second.emplace_back(index(on.end), on.share);
        std::sort(print.first.begin(), print.first.end());
        std::sort(print.second.begin(), print.second.end());
        const auto next = static_cast<std::uint32_t>(outline_.faulty.size()) + 1;
        const auto [kind, unseen] = by_print.try_emplace(std::move(print), next);
        if (unseen) add_kind(*faults);
        known->second = kind->second;
      }
      outline_.kind_of[domain] = known->second;
    }
  }

  void add_kind(const sim::FabricFaults& faults) {
    sim::Result<Outline> healthy = topologies::make_outline(parameters_);
    CHECK(healthy.ok());
    outline_.faulty.push_back(sim::with_faults(std::move(healthy.value().domain), faults));
    kinds_.push_back(faults);
  }

  void tell_ports() {
    for (const auto& [place, share] : ports_) {
      outline_.slow_ports.push_back({place.first, place.second, share});
    }
  }

  const sim::Parameters& parameters_;
  Outline& outline_;
  Diagnostics& diagnostics_;
  std::vector<Section> items_;  // as they are called in one domain
  std::string inside_text_;     // name of the last of them
  std::vector<sim::FabricFaults> kinds_;
  std::vector<std::vector<std::uint32_t>> of_domain_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, PortShare> ports_;  // by end and domain
};

// The first pair that faults cut off, in each kind of domain.
void check_kinds(const Section::Entry& faults, const Outline& outline, Diagnostics& diagnostics) {
  std::vector<EndpointId> ends;
  for (std::uint32_t end = 0; end < outline.ends(); ++end) ends.push_back(EndpointId{end});
  for (const sim::Topology& one : outline.faulty) {
    const auto cut = sim::first_cut_pair(one, ends);
    if (!cut) continue;
    const Fabric& fabric = *one.fabric;
    diagnostics.add({faults.position,
                     fmt::format("{} cannot reach {} in its UltraServer",
                                 fabric.node(fabric.node_of(cut->from)).name,
                                 fabric.node(fabric.node_of(cut->to)).name),
                     "a fabric that joins all ranks of a group",
                     "fewer faults, or fabric.rerouting: static"});
    return;
  }
}

}  // namespace

void add_outline_faults(const Section::Entry& faults, const sim::Parameters& parameters,
                        sim::Topology& first, Outline& outline, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.count();
  Telling telling(parameters, outline, diagnostics);
  for (const Section& item : faults.sections) telling.add(item);
  if (diagnostics.count() > before) return;
  telling.finish(first);
  if (diagnostics.count() == before) check_kinds(faults, outline, diagnostics);
}

}  // namespace scenarios

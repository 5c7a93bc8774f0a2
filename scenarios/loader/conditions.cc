// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace scenarios {
namespace {

using sim::Diagnostics;
using sim::Dimension;
using sim::Fabric;
using sim::Key;
using sim::LinkId;
using sim::Section;

constexpr std::int64_t kMostOutages = 100'000;

// What each kind of fault has to say and may say, beside its kind.
struct ImpairmentKind {
  const char* name;
  std::vector<std::string> needs;
  std::vector<std::string> may;
};

const std::vector<ImpairmentKind>& impairment_kinds() {
  static const std::vector<ImpairmentKind> kinds = {
      {"loss", {"on", "rate"}, {}},
      {"corruption", {"on", "rate"}, {}},
      {"bit_errors", {"on", "one_bit_in"}, {}},
      {"late", {"on", "rate", "delay"}, {}},
      {"down", {"on", "from"}, {"to", "every", "until"}},
  };
  return kinds;
}

Key key(const char* name, Dimension dimension, std::int64_t least, std::int64_t most,
        const char* help) {
  Key k;
  k.name = name;
  k.dimension = dimension;
  k.least = least;
  k.most = most;
  k.help = help;
  return k;
}

// The links that `on` means: all of a class, all at a node, or one.
std::vector<LinkId> links_on(const Fabric& fabric, const std::string& on) {
  std::vector<LinkId> links;
  for (std::uint32_t i = 0; i < fabric.links().size(); ++i) {
    const sim::Link& link = fabric.link(LinkId{i});
    if (fabric.kind(LinkId{i}).name == on || fabric.node(link.from).name == on ||
        fabric.node(link.to).name == on || fabric.describe(LinkId{i}) == on) {
      links.push_back(LinkId{i});
    }
  }
  return links;
}

std::vector<std::string> class_names(const Fabric& fabric) {
  std::vector<std::string> names;
  for (const sim::LinkClass& kind : fabric.classes()) names.push_back(kind.name);
  return names;
}

// Lives only while one item is read.
class Item {
 public:
  Item(const Section& item, const std::string& path, const Fabric& fabric, Diagnostics& diagnostics)
      : item_(item), path_(path), fabric_(fabric), diagnostics_(diagnostics) {}

  void report(sim::Position place, std::string what, std::string expected, std::string hint = "") {
    diagnostics_.add({place, std::move(what), std::move(expected), std::move(hint)});
  }

  // Every key that the kind needs is there, and none that it does not know.
  bool fits(const ImpairmentKind& kind) {
    const std::size_t before = diagnostics_.count();
    for (const std::string& need : kind.needs) {
      if (item_.has(need)) continue;
      report(item_.place, fmt::format("{}: an item of kind {} needs '{}'", path_, kind.name, need),
             fmt::format("{}: a value", need));
    }
    for (const Section::Entry& entry : item_.entries) {
      const bool known = entry.key == "kind" || std::ranges::count(kind.needs, entry.key) > 0 ||
                         std::ranges::count(kind.may, entry.key) > 0;
      if (known || !entry.given) continue;
      report(entry.position,
             fmt::format("{}: an item of kind {} has no '{}'", path_, kind.name, entry.key),
             "no such key");
    }
    return diagnostics_.count() == before;
  }

  std::vector<LinkId> links() {
    const std::string& on = item_.text("on");
    std::vector<LinkId> links = links_on(fabric_, on);
    if (!links.empty()) return links;
    const std::vector<std::string> classes = class_names(fabric_);
    const std::string near = sim::nearest(on, classes);
    report(
        item_.position("on"), fmt::format("{}: the fabric has no {}", path_, sim::quoted(on)),
        fmt::format("a class of links ({}), a node or one link by name", fmt::join(classes, ", ")),
        near.empty() ? "" : fmt::format("did you mean '{}'?", near));
    return links;
  }

  // One time down, or one every so often until `until`.
  std::vector<sim::DownTime> down_times() {
    const sim::Time from = item_.time("from");
    if (!item_.has("to")) return {{from}};
    const sim::Time to = item_.time("to");
    if (to <= from) {
      report(item_.position("to"), path_ + ": 'to' is not after 'from'", "a later time");
      return {};
    }
    if (!item_.has("every")) return {{from, to}};
    return flaps(from, to, item_.time("every"));
  }

 private:
  std::vector<sim::DownTime> flaps(sim::Time from, sim::Time to, sim::Time every) {
    if (every <= to - from) {
      report(item_.position("every"), path_ + ": it goes down again before it is up",
             "more than 'to' less 'from'");
      return {};
    }
    const sim::Time until = item_.has("until") ? item_.time("until") : sim::Time(0);
    if ((until - from).value / every.value > kMostOutages || !item_.has("until")) {
      report(item_.position("every"), path_ + ": it flaps without end or too often",
             fmt::format("'until', with at most {} times down before it", kMostOutages));
      return {};
    }
    std::vector<sim::DownTime> down;
    for (; from < until; from += every, to += every) down.push_back({from, to});
    return down;
  }

  const Section& item_;
  const std::string& path_;
  const Fabric& fabric_;
  Diagnostics& diagnostics_;
};

sim::LinkFault link_fault_of(const Section& item, std::vector<sim::DownTime> down) {
  const std::string& kind = item.text("kind");
  sim::LinkFault fault;
  if (kind == "loss") fault.loss = item.ratio("rate");
  if (kind == "corruption") fault.corruption = item.ratio("rate");
  if (kind == "bit_errors") fault.bit_errors = 1'000'000'000'000'000 / item.count("one_bit_in");
  if (kind == "late") {
    fault.late = item.ratio("rate");
    fault.lateness = item.time("delay");
  }
  fault.down = std::move(down);
  return fault;
}

}  // namespace

std::vector<Key> impairment_keys() {
  constexpr std::int64_t kMostTime = 1'000'000 * sim::kPicosecondsPerSecond;
  Key kind = key("kind", Dimension::kText, 0, 0,
                 "loss, corruption, bit_errors: of packets on Ethernet, which repeats them end to "
                 "end; lossless links replay them. late: held up. down: at given times.");
  kind.required = true;
  for (const ImpairmentKind& known : impairment_kinds()) kind.choices.emplace_back(known.name);
  return {
      kind,
      key("on", Dimension::kText, 0, 0,
          "A class of links (\"sled link\"), a node (\"spine 3\") with all its links, or one link "
          "as "
          "results name it."),
      key("rate", Dimension::kRatio, 0, sim::kRatioOne, "Share of packets: 0 to 1."),
      key("one_bit_in", Dimension::kCount, 1, 1'000'000'000'000'000,
          "bit_errors: one bit in so many flips."),
      key("delay", Dimension::kTime, 0, kMostTime, "late: how long a packet is held up."),
      key("from", Dimension::kTime, 0, kMostTime, "down: since when."),
      key("to", Dimension::kTime, 0, kMostTime, "down: till when; left out: for good."),
      key("every", Dimension::kTime, 1, kMostTime,
          "down: again so often (flapping), until `until`."),
      key("until", Dimension::kTime, 1, kMostTime, "down: when flapping ends."),
  };
}

void add_impairment(const Section& section, const std::string& path, const Fabric& fabric,
                    Diagnostics& diagnostics, sim::Conditions& conditions) {
  Item item(section, path, fabric, diagnostics);
  const std::string& name = section.text("kind");
  const auto kind = std::ranges::find_if(
      impairment_kinds(), [&](const ImpairmentKind& known) { return known.name == name; });
  if (!item.fits(*kind)) return;
  std::vector<sim::DownTime> down;
  if (name == "down") {
    down = item.down_times();
    if (down.empty()) return;
  }
  sim::LinkFault fault = link_fault_of(section, std::move(down));
  for (const LinkId link : item.links()) {
    fault.link = link;
    conditions.links.push_back(fault);
  }
}

bool add_load(const Section& section, const std::string& path, const Fabric& fabric,
              Diagnostics& diagnostics, sim::Conditions& conditions) {
  Item item(section, path, fabric, diagnostics);
  if (!section.has("load")) {
    for (const char* need : {"collective", "algorithm"}) {
      if (section.has(need)) continue;
      item.report(section.place, fmt::format("{}: a job needs '{}'", path, need),
                  "a job (collective, bytes, algorithm) or background load (load, on)");
      return false;
    }
    return true;
  }
  if (!section.has("on")) {
    item.report(section.place, path + ": background load needs 'on'", "a class of links");
    return false;
  }
  for (const LinkId link : item.links()) {
    conditions.loads.push_back({link, section.ratio("load")});
  }
  return false;
}

}  // namespace scenarios

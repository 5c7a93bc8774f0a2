// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/own_fabric.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "scenarios/loader/pattern.h"
#include "sim/base/quantity.h"

namespace scenarios {
namespace {

using sim::Diagnostics;
using sim::Dimension;
using sim::Key;
using sim::NodeKind;
using sim::Section;
using topologies::OwnFabric;

constexpr std::size_t kMostNodes = 200'000;
constexpr std::size_t kMostLinks = 1'000'000;

// Lives only during `read_own_fabric`.
class Reading {
 public:
  explicit Reading(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void add_nodes(const Section& item) {
    const std::int64_t count = item.has("count") ? item.count("count") : 0;
    if (own_.nodes.size() + static_cast<std::size_t>(count) > kMostNodes) {
      return report(item.position("count"), "too many nodes",
                    fmt::format("at most {}", kMostNodes));
    }
    if (count == 0) return add_node(item, item.text("name"));
    for (std::int64_t number = 0; number < count; ++number) {
      add_node(item, fmt::format("{}{}", item.text("name"), number));
    }
  }

  void add_links(const Section& item) {
    const std::vector<std::uint32_t> from = find(item, "from");
    const std::vector<std::uint32_t> to = find(item, "to");
    if (from.empty() || to.empty()) return;
    std::size_t added = 0;
    for (const std::uint32_t a : from) {
      for (const std::uint32_t b : to) {
        if (a == b || (joined_twice(from, to, a, b))) continue;
        if (own_.links.size() == kMostLinks) {
          return report(item.place, "too many links", fmt::format("at most {}", kMostLinks));
        }
        own_.links.push_back(
            {a, b, item.text("kind"), item.bandwidth("bandwidth"), item.time("latency")});
        ++added;
      }
    }
    if (added == 0) report(item.position("to"), "a link joins a node to itself", "two nodes");
  }

  OwnFabric take() { return std::move(own_); }

 private:
  void report(sim::Position place, std::string what, std::string expected, std::string hint = "") {
    diagnostics_.add({place, std::move(what), std::move(expected), std::move(hint)});
  }

  // With both ends meaning the same nodes, each pair once.
  static bool joined_twice(const std::vector<std::uint32_t>& from,
                           const std::vector<std::uint32_t>& to, std::uint32_t a, std::uint32_t b) {
    return from == to && b < a;
  }

  void add_node(const Section& item, const std::string& name) {
    const auto number = static_cast<std::uint32_t>(own_.nodes.size());
    if (name.find('*') != std::string::npos) {
      return report(item.position("name"), "a node's name cannot hold *", "another name");
    }
    if (!number_of_.try_emplace(name, number).second) {
      return report(item.position("name"),
                    fmt::format("there are two nodes called {}", sim::quoted(name)),
                    "each name once");
    }
    const std::string& kind = item.text("kind");
    sim::Node node;
    node.kind = kind == "chip"  ? NodeKind::kChip
                : kind == "nic" ? NodeKind::kNic
                                : NodeKind::kSwitch;
    const bool whole = item.text("forwarding") == "store_and_forward";
    node.forwarding = whole ? sim::Forwarding::kStoreAndForward : sim::Forwarding::kCutThrough;
    node.latency = item.time("latency");
    node.name = name;
    own_.nodes.push_back(std::move(node));
    own_.server_of.push_back(item.has("server") ? item.text("server") : "");
  }

  std::vector<std::uint32_t> find(const Section& item, const char* key) {
    const std::string& pattern = item.text(key);
    std::vector<std::uint32_t> found;
    if (pattern.find('*') == std::string::npos) {
      const auto node = number_of_.find(pattern);
      if (node != number_of_.end()) found.push_back(node->second);
    } else {
      for (std::uint32_t node = 0; node < own_.nodes.size(); ++node) {
        if (matches(pattern, own_.nodes[node].name)) found.push_back(node);
      }
    }
    if (!found.empty()) return found;
    std::vector<std::string> names;
    for (const auto& [name, number] : number_of_) names.push_back(name);
    const std::string near = sim::nearest(pattern, names);
    report(item.position(key), fmt::format("no node is called {}", sim::quoted(pattern)),
           "the name of a node, in which * stands for any text",
           near.empty() ? "" : fmt::format("did you mean '{}'?", near));
    return found;
  }

  Diagnostics& diagnostics_;
  OwnFabric own_;
  std::map<std::string, std::uint32_t> number_of_;
};

Key key(std::string name, Dimension dimension, std::string help) {
  Key key;
  key.name = std::move(name);
  key.dimension = dimension;
  key.help = std::move(help);
  return key;
}

Key required(Key key) {
  key.required = true;
  return key;
}

Key with_default(Key key, std::string fallback) {
  key.fallback = std::move(fallback);
  return key;
}

Key time_key(std::string name, std::string help) {
  Key time = key(std::move(name), Dimension::kTime, std::move(help));
  time.least = 0;
  time.most = sim::kPicosecondsPerSecond;
  return with_default(time, "0 ns");
}

std::vector<Key> node_keys() {
  Key kind = required(key("kind", Dimension::kText, "What it is; ranks sit on chips."));
  kind.choices = {"chip", "switch", "nic"};
  Key count = key("count", Dimension::kCount, "So many, numbered from 0 behind the name.");
  count.least = 1;
  count.most = 100'000;
  Key forwarding = key("forwarding", Dimension::kText, "Whether it waits for the whole packet.");
  forwarding.choices = {"cut_through", "store_and_forward"};
  return {required(key("name", Dimension::kText, "Its name; each once.")),
          kind,
          count,
          time_key("latency", "From arrival to readiness at the output port."),
          with_default(forwarding, "cut_through"),
          key("server", Dimension::kText, "The server a chip stands in, for groups.")};
}

std::vector<Key> link_keys() {
  Key bandwidth = required(key("bandwidth", Dimension::kBandwidth, "Rate, each direction."));
  bandwidth.least = 1;
  bandwidth.most = sim::gigabytes_per_second(1'000'000).value;
  return {required(key("from", Dimension::kText, "A node; * stands for any text.")),
          required(key("to", Dimension::kText, "A node; * stands for any text.")), bandwidth,
          time_key("latency", "Propagation."),
          with_default(key("kind", Dimension::kText, "Class, as results name it."), "link")};
}

}  // namespace

std::vector<Key> own_fabric_keys() {
  Key nodes = required(key("nodes", Dimension::kText, "Chips, switches and NICs."));
  nodes.shape = Key::Shape::kSections;
  nodes.inner = node_keys();
  Key links = required(key("links", Dimension::kText, "Links; each has both directions."));
  links.shape = Key::Shape::kSections;
  links.inner = link_keys();
  return {nodes, links};
}

std::optional<OwnFabric> read_own_fabric(const Section& section, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.count();
  Reading reading(diagnostics);
  for (const Section& item : section.find("nodes")->sections) reading.add_nodes(item);
  for (const Section& item : section.find("links")->sections) reading.add_links(item);
  if (diagnostics.count() > before) return std::nullopt;
  return reading.take();
}

}  // namespace scenarios

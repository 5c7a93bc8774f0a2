// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/loader/declared.h"
#include "scenarios/loader/keys.h"
#include "scenarios/loader/own_fabric.h"
#include "scenarios/loader/presets.h"
#include "sim/base/check.h"
#include "sim/fabric/lanes.h"
#include "topologies/outline.h"
#include "topologies/topologies.h"

namespace scenarios {
namespace {

using sim::Diagnostics;
using sim::Dimension;
using sim::Key;
using sim::Section;
using sim::Value;

// Adds a key that was left out, as if it had been given.
void complete(Section& section, const std::string& key, sim::Quantity value) {
  Section::Entry entry{key, section.place};
  entry.scalars.push_back(std::move(value));
  entry.places.push_back(section.place);
  section.entries.push_back(std::move(entry));
}

std::string listed(const std::vector<Wiring>& wirings) {
  std::string names;
  for (const Wiring& wiring : wirings) names += (names.empty() ? "" : ", ") + wiring.name;
  return names;
}

// Reads one `cluster` section. Lives only during `build_cluster`.
class Builder {
 public:
  Builder(Section& section, std::string engine, Symmetry symmetry, Diagnostics& diagnostics)
      : section_(section),
        engine_(std::move(engine)),
        symmetry_(symmetry),
        diagnostics_(diagnostics) {}

  std::optional<Cluster> build() {
    const std::size_t before = diagnostics_.count();
    preset_ = choose_preset();
    if (!preset_) return std::nullopt;
    count_domains();
    const Wiring* wiring = choose_wiring();
    topology_ = choose_topology();
    declared_ = declared_parameters(topology_, engine_);
    Cluster cluster;
    cluster.parameters = preset_->under(wiring, declared_);
    set_ranks(cluster.parameters);
    set_domains(cluster.parameters);
    apply_overrides(cluster.parameters);
    check_size(cluster.parameters);
    if (diagnostics_.count() > before || !make_topology(cluster)) return std::nullopt;
    cluster.fabric = describe(cluster);
    return cluster;
  }

 private:
  void report(sim::Position place, std::string what, std::string expected, std::string hint = "") {
    diagnostics_.add({place, std::move(what), std::move(expected), std::move(hint)});
  }

  std::optional<Preset> choose_preset() {
    std::vector<std::string> given;
    for (const char* unit : {"ultraserver", "server", "topology"}) {
      if (section_.has(unit)) given.emplace_back(unit);
    }
    if (given.size() == 1) return find_preset(section_.text(given[0]));
    report(given.empty() ? section_.place : section_.position(given.back()),
           given.empty() ? "cluster has none of 'ultraserver', 'server' and 'topology'"
                         : fmt::format("cluster has both '{}' and '{}'", given[0], given.back()),
           "exactly one of them, such as ultraserver: trn3-gen2");
    return std::nullopt;
  }

  // How many servers or UltraServers; the key of the other kind is a fault.
  void count_domains() {
    const bool servers = preset_->counted_by() == "servers";
    if (!servers && section_.has("servers")) {
      report(section_.position("servers"), "'servers' is only for server presets",
             preset_->unit == "topology" ? "no servers" : "ultraservers: 2");
    }
    if (servers && section_.count("ultraservers") != 1) {
      report(section_.position("ultraservers"), "'ultraservers' is only for UltraServer presets",
             "servers: 2");
    }
    if (servers && !section_.has("servers")) {
      complete(section_, "servers", {Dimension::kCount, 1, "1"});
    }
    domains_ = section_.has(preset_->counted_by()) ? section_.count(preset_->counted_by()) : 1;
  }

  const Wiring* choose_wiring() {
    if (!section_.has("wiring")) {
      if (preset_->wirings.empty()) return nullptr;
      complete(section_, "wiring", {Dimension::kText, 0, preset_->default_wiring});
    }
    const std::string& name = section_.text("wiring");
    const Wiring* wiring = preset_->wiring(name);
    if (wiring != nullptr) return wiring;
    std::vector<std::string> names;
    for (const Wiring& known : preset_->wirings) names.push_back(known.name);
    const std::string near = sim::nearest(name, names);
    report(section_.position("wiring"),
           fmt::format("unknown wiring {} of {}", sim::quoted(name), preset_->name),
           names.empty() ? fmt::format("no wiring: {} has only one", preset_->name)
                         : "one of " + listed(preset_->wirings),
           near.empty() ? "" : fmt::format("did you mean '{}'?", near));
    return nullptr;
  }

  std::string choose_topology() {
    if (domains_ == 1) return preset_->topology;
    if (preset_->cluster_topology.empty()) {
      report(section_.position(preset_->counted_by()),
             fmt::format("{} cannot be joined with others", preset_->name),
             preset_->counted_by() + ": 1");
    }
    return preset_->widest_topology();
  }

  void set_chosen(sim::Parameters& parameters, const char* name, std::int64_t amount,
                  const char* source) {
    const sim::Quantity value{Dimension::kCount, amount, std::to_string(amount)};
    parameters.set({name, value, value, value, sim::Grade::kChosen, source});
  }

  void set_ranks(sim::Parameters& parameters) {
    const bool cores = section_.text("ranks") == "cores";
    const bool possible = find_key(declared_, "endpoints_per_chip") != nullptr;
    if (cores && !possible) {
      report(section_.position("ranks"), fmt::format("the ends of {} have no cores", preset_->name),
             "ranks: chips");
    }
    if (!cores && section_.has("logical_cores")) {
      report(section_.position("logical_cores"), "'logical_cores' is only for ranks: cores",
             "ranks: cores, or no logical_cores");
    }
    if (cores && !section_.has("logical_cores")) {
      const std::int64_t usual = preset_->cores_per_logical_core;
      complete(section_, "logical_cores", {Dimension::kCount, usual, std::to_string(usual)});
    }
    const std::int64_t per_chip =
        cores ? preset_->cores_per_chip / section_.count("logical_cores") : 0;
    if (!possible) return;
    set_chosen(parameters, "endpoints_per_chip", per_chip, "cluster.ranks");
    if (!cores) return;
    // Presets give the memory's rates for a chip, and the DMA rate for their usual logical core.
    scale(parameters, "endpoint.reduce_rate", 1, per_chip, "share of one rank");
    scale(parameters, "endpoint.copy_rate", 1, per_chip, "share of one rank");
    scale(parameters, "core.dma_bandwidth", section_.count("logical_cores"),
          preset_->cores_per_logical_core, "at this LNC");
  }

  static void scale(sim::Parameters& parameters, const char* name, std::int64_t by,
                    std::int64_t over, const std::string& why) {
    const sim::Parameter* found = parameters.find(name);
    if (found == nullptr || by == over) return;
    sim::Parameter scaled = *found;
    for (sim::Quantity* quantity : {&scaled.value, &scaled.low, &scaled.high}) {
      if (quantity->amount == std::numeric_limits<std::int64_t>::max()) continue;  // unlimited
      quantity->amount = quantity->amount / over * by;
      quantity->text = sim::to_text(quantity->amount, quantity->dimension);
    }
    scaled.source += "; " + why;
    parameters.set(std::move(scaled));
  }

  void set_domains(sim::Parameters& parameters) {
    const std::string counted = preset_->counted_by();
    for (const char* name : {"ultraservers", "servers"}) {
      if (find_key(declared_, name) == nullptr) continue;
      set_chosen(parameters, name, domains_, ("cluster." + counted).c_str());
    }
  }

  void apply_overrides(sim::Parameters& parameters) {
    const Section::Entry* overrides = section_.find("overrides");
    if (overrides == nullptr) return;
    std::vector<std::string> seen;
    for (const Value::Entry& entry : overrides->open.entries) {
      const Key* key = find_key(declared_, entry.key);
      if (std::ranges::find(seen, entry.key) != seen.end()) {
        report(entry.position,
               fmt::format("duplicate key {} in cluster.overrides", sim::quoted(entry.key)),
               "each key once");
      } else if (set_by_loader(entry.key)) {
        report(entry.position, fmt::format("{} cannot be overridden", sim::quoted(entry.key)),
               entry.key == "endpoints_per_chip" ? "cluster.ranks and cluster.logical_cores"
                                                 : "cluster." + preset_->counted_by());
      } else if (key == nullptr) {
        report_unknown(entry);
      } else {
        override_one(entry.value, *key, parameters);
      }
      seen.push_back(entry.key);
    }
  }

  void override_one(const Value& value, const Key& key, sim::Parameters& parameters) {
    Key scalar = key;
    scalar.shape = Key::Shape::kScalar;
    if (const auto read = sim::read_scalar(value, scalar, "cluster.overrides", diagnostics_)) {
      parameters.set({key.name, *read, *read, *read, sim::Grade::kScenario, "this scenario"});
    }
  }

  void report_unknown(const Value::Entry& entry) {
    std::vector<std::string> names;
    for (const Key& key : declared_) {
      if (!set_by_loader(key.name)) names.push_back(key.name);
    }
    const std::string near = sim::nearest(entry.key, names);
    report(entry.position,
           fmt::format("unknown key {} in cluster.overrides", sim::quoted(entry.key)),
           fmt::format("a parameter of {0} (list them: ultrasim describe {0})", preset_->name),
           near.empty() ? "" : fmt::format("did you mean '{}'?", near));
  }

  // Ends of the fabric, before it is built: too many would not fit into memory.
  void check_size(const sim::Parameters& parameters) {
    unsigned __int128 ends = 1;
    for (const char* name : {"ends", "positions", "sleds", "racks", "endpoints_per_chip",
                             "ultraservers", "servers", "chips", "torus.x", "torus.y", "torus.z",
                             "sockets", "switches_per_socket", "chips_per_switch"}) {
      const sim::Parameter* parameter = parameters.find(name);
      if (parameter == nullptr || parameter->value.amount < 1) continue;
      ends *= static_cast<std::uint64_t>(parameter->value.amount);
      if (ends > static_cast<std::uint64_t>(kMostEndpoints)) {
        report(section_.position(preset_->counted_by()), "the cluster is too large",
               fmt::format("at most {} chips or logical cores", kMostEndpoints));
        return;
      }
    }
  }

  // Chips of a cluster of several domains; 0 of a single one.
  std::int64_t joined_chips(const sim::Parameters& parameters) const {
    std::int64_t chips = 1;
    for (const char* name : {"positions", "sleds", "racks", "ultraservers"}) {
      const sim::Parameter* parameter = parameters.find(name);
      if (parameter == nullptr) return 0;
      chips *= parameter->value.amount;
    }
    return parameters.count("ultraservers") > 1 ? chips : 0;
  }

  bool by_symmetry(const sim::Parameters& parameters) const {
    if (engine_ != "flow" || topology_ != "ultracluster") return false;
    if (symmetry_ == Symmetry::kAlways) return joined_chips(parameters) > 0;
    return symmetry_ == Symmetry::kWhenLarge && joined_chips(parameters) > kMostDrawnChips;
  }

  bool make_outline(Cluster& cluster) {
    sim::Result<sim::Outline> outline = topologies::make_outline(cluster.parameters);
    sim::Result<sim::Outline> domain = topologies::make_outline(cluster.parameters);
    if (!outline.ok() || !domain.ok()) {
      report(section_.place, outline.failure().what, outline.failure().hint);
      return false;
    }
    cluster.outline = std::move(outline).value();
    cluster.topology = std::move(domain.value().domain);
    return true;
  }

  bool make_topology(Cluster& cluster) {
    if (by_symmetry(cluster.parameters)) return make_outline(cluster);
    const auto* entry = topologies::topologies().find(topology_);
    CHECK(entry != nullptr);
    const bool own = topology_ == "own";
    if (own != section_.has("fabric")) {
      report(section_.position(own ? "topology" : "fabric"),
             own ? "a fabric of your own needs 'fabric'" : "'fabric' is only for topology: own",
             own ? "fabric: {nodes: ..., links: ...}" : "no fabric");
      return false;
    }
    std::optional<topologies::OwnFabric> drawn;
    if (own && !(drawn = read_own_fabric(section_.section("fabric"), diagnostics_))) return false;
    sim::Result<sim::Topology> made =
        own ? topologies::make_own(*drawn, cluster.parameters) : entry->make(cluster.parameters);
    if (made.ok()) {
      made =
          sim::spread_over_lanes(std::move(made).value(), cluster.parameters.count("fabric.lanes"));
    }
    if (made.ok()) {
      cluster.topology = std::move(made).value();
      return true;
    }
    report(section_.position(own ? "fabric" : "overrides"), made.failure().what,
           made.failure().hint);
    return false;
  }

  std::string describe(const Cluster& cluster) const {
    const sim::Fabric& fabric = *cluster.topology.fabric;
    const sim::Level* chips = fabric.level("chip");
    std::uint32_t count = chips != nullptr ? chips->groups : fabric.endpoints();
    if (cluster.outline) count *= cluster.outline->domains;
    std::string text =
        domains_ > 1 ? fmt::format("{} x {}", domains_, preset_->title) : preset_->title;
    text += fmt::format(", {} chips", count);
    if (section_.has("wiring")) text += ", wiring " + section_.text("wiring");
    return text;
  }

  Section& section_;
  std::string engine_;
  Symmetry symmetry_;
  Diagnostics& diagnostics_;
  std::optional<Preset> preset_;
  std::int64_t domains_ = 1;
  std::string topology_;
  std::vector<Key> declared_;
};

}  // namespace

std::optional<Cluster> build_cluster(Section& section, const std::string& engine, Symmetry symmetry,
                                     Diagnostics& diagnostics) {
  return Builder(section, engine, symmetry, diagnostics).build();
}

}  // namespace scenarios

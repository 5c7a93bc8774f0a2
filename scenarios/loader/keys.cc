// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/keys.h"

#include <limits>
#include <string>
#include <utility>

#include "collectives/collectives.h"
#include "scenarios/loader/arrival.h"
#include "scenarios/loader/conditions.h"
#include "scenarios/loader/faults.h"
#include "scenarios/loader/group_item.h"
#include "scenarios/loader/own_fabric.h"
#include "scenarios/loader/presets.h"
#include "scenarios/loader/roles.h"
#include "scenarios/loader/routing.h"
#include "scenarios/loader/selector.h"
#include "scenarios/loader/studies.h"
#include "sim/base/check.h"
#include "sim/engine/engines.h"

namespace scenarios {
namespace {

using sim::Dimension;
using sim::Key;
using Shape = sim::Key::Shape;

Key make(std::string name, Shape shape, Dimension dimension, std::string help) {
  Key key;
  key.name = std::move(name);
  key.shape = shape;
  key.dimension = dimension;
  key.help = std::move(help);
  return key;
}

Key text(std::string name, std::string help) {
  return make(std::move(name), Shape::kScalar, Dimension::kText, std::move(help));
}

Key section(std::string name, std::string help, std::vector<Key> inner) {
  Key key = make(std::move(name), Shape::kSection, Dimension::kText, std::move(help));
  key.inner = std::move(inner);
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

Key one_of(Key key, std::vector<std::string> choices) {
  key.choices = std::move(choices);
  return key;
}

Key between(Key key, std::int64_t least, std::int64_t most) {
  key.least = least;
  key.most = most;
  return key;
}

Key count(std::string name, std::string help, std::int64_t least, std::int64_t most) {
  return between(make(std::move(name), Shape::kScalar, Dimension::kCount, std::move(help)), least,
                 most);
}

Key sizes(std::string name, std::string help) {
  return between(make(std::move(name), Shape::kSizeRange, Dimension::kBytes, std::move(help)), 1,
                 kMostBytes);
}

std::vector<std::string> collective_names() {
  std::vector<std::string> names;
  for (const sim::Collective collective : sim::all_collectives()) {
    names.emplace_back(sim::name_of(collective));
  }
  names.emplace_back(sim::name_of(sim::Collective::kProgram));
  return names;
}

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names = collectives::algorithms().names();
  names.emplace_back(kAuto);
  names.emplace_back(kAll);
  return names;
}

Key cluster_key() {
  return required(section(
      "cluster", "What the collectives run on: give ultraserver, server or topology.",
      {one_of(text("ultraserver", "Hardware preset of an UltraServer or a rack like it."),
              preset_names("ultraserver")),
       one_of(text("server", "Hardware preset of a server (an instance, a box)."),
              preset_names("server")),
       one_of(text("topology", "Hardware preset of a comparison fabric."),
              preset_names("topology")),
       text("wiring", "Version of the preset's wiring; the preset names the default."),
       with_default(count("ultraservers", "UltraServers joined by a network.", 1, kMostDomains),
                    "1"),
       count("servers", "Servers joined by a network, with server; 1 when left out.", 1,
             kMostDomains),
       with_default(one_of(text("ranks", "What one rank is: a whole chip or a logical core."),
                           {"chips", "cores"}),
                    "chips"),
       count(
           "logical_cores",
           "Physical cores per logical core (LNC), only with ranks: cores. A Trn2 or Trn3 chip has "
           "8 cores: 2 (their default) gives 4 ranks a chip, 1 gives 8.",
           1, 2),
       section("fabric",
               "Nodes and links of a fabric of your own, with topology: own; or the name of a "
               "DOT or GraphML file that draws it.",
               own_fabric_keys()),
       make("overrides", Shape::kOpenMap, Dimension::kText,
            "Model parameters that replace the preset's; list them with `ultrasim describe "
            "PRESET`.")}));
}

// What `hierarchical` declares in its catalog.
Key hierarchy_key() {
  const auto* hierarchical = collectives::algorithms().find("hierarchical");
  CHECK(hierarchical != nullptr);
  return section("hierarchy",
                 "How `hierarchical` splits its work; without inner_ranks an inner group is what "
                 "the outermost level that the group spans (UltraServer, rack, sled) holds of it.",
                 hierarchical->keys);
}

Key workload_key() {
  Key algorithm = make("algorithm", Shape::kScalars, Dimension::kText,
                       "Algorithm, or a list of them to compare; auto: by the selection; all: each "
                       "that can serve; or a file from the scenario's folder: MSCCL XML, or "
                       "GOAL for program.");
  algorithm.endings = {".xml", ".goal"};
  Key workload = make("workload", Shape::kSections, Dimension::kText,
                      "Collectives to run, one after another, each alone on the cluster.");
  workload.inner = {
      required(one_of(text("collective", "What is computed."), collective_names())),
      group_key(),
      sizes("bytes",
            "Size as nccl-tests counts it: the tensor of a rank (all_reduce), the gathered output "
            "(all_gather), the unreduced input (reduce_scatter), the send buffer of a rank "
            "(all_to_all), the tensor (broadcast, reduce), what the root ends or starts with "
            "(gather, scatter), what a rank sends (send_recv, permute, all_to_all_v in equal "
            "parts); none for barrier and program. A list or {from, to, times} sweeps."),
      sizes("bytes_per_peer", "all_to_all only, instead of bytes: what a rank sends to each rank."),
      required(one_of(algorithm, algorithm_names())),
      hierarchy_key()};
  workload.inner.push_back(routing_key());
  for (Key& key : option_keys()) workload.inner.push_back(std::move(key));
  for (Key& key : role_keys()) workload.inner.push_back(std::move(key));
  workload.inner.push_back(arrival_key());
  workload.inner.push_back(with_default(
      count("seeds",
            "Runs of each case, with seed, seed + 1 and so on, where its routing or its arrivals "
            "are random: results give the least, the middle and the most.",
            1, kMostSeeds),
      "1"));
  return required(workload);
}

Key faults_key() {
  Key faults = make("faults", Shape::kSections, Dimension::kText,
                    "Parts of the fabric that are dead or slow from the start.");
  faults.inner = fault_keys();
  return faults;
}

Key impairments_key() {
  Key impairments = make("impairments", Shape::kSections, Dimension::kText,
                         "What links do wrong while the workload runs (packet fidelity).");
  impairments.inner = impairment_keys();
  return impairments;
}

// A job has the keys of an item of `workload`; background load has two of its own.
Key neighbours_key() {
  Key neighbours =
      make("neighbours", Shape::kSections, Dimension::kText,
           "Who shares the network with every case (packet fidelity): jobs, which start again "
           "whenever they are done, and background load.");
  neighbours.inner = workload_key().inner;
  std::erase_if(neighbours.inner,
                [](const Key& key) { return key.name == "arrival" || key.name == "seeds"; });
  for (Key& key : neighbours.inner) key.required = false;
  neighbours.inner.push_back(
      between(make("load", Shape::kScalar, Dimension::kRatio,
                   "Background load: share of what each of the links can carry, in packets at "
                   "random times."),
              1, sim::kRatioOne));
  neighbours.inner.push_back(
      text("on", "Where the load is: a class of links, a node, or one link."));
  return neighbours;
}

Key limits_key() {
  constexpr std::int64_t kMostTime = 1'000'000 * sim::kPicosecondsPerSecond;
  const Key simulated_time =
      make("simulated_time", Shape::kScalar, Dimension::kTime, "Simulated time of one case.");
  const Key limits = section(
      "limits", "Where a run stops with an error instead of going on.",
      {with_default(count("packet_hops", "Packet-hops of one case.", 1, 1'000'000'000'000'000),
                    "100000000000"),
       with_default(between(simulated_time, 1, kMostTime), "3600 s"),
       between(make("cpu_time", Shape::kScalar, Dimension::kTime,
                    "What fidelity: auto may take, all cases on one core; 60 s if not given."),
               1, kMostTime),
       between(make("memory", Shape::kScalar, Dimension::kBytes,
                    "What fidelity: auto may take; 4 GiB if not given."),
               1, std::int64_t{1} << 50),
       with_default(count("ops", "Sends, reductions and copies of one case, over all ranks.", 1,
                          200'000'000),
                    "20000000")});
  return with_default(limits, "{}");
}

std::vector<std::string> fidelities() {
  std::vector<std::string> names = sim::engines().names();
  names.emplace_back("auto");
  return names;
}

std::vector<Key> declare() {
  return {required(text("scenario", "Name: a-z, 0-9 and hyphens, at most 64 of them.")),
          text("about", "What the scenario asks, in a sentence."),
          cluster_key(),
          faults_key(),
          workload_key(),
          selection_key(),
          with_default(one_of(text("fidelity",
                                   "What plays the scenario; auto: the finest level that "
                                   "limits.cpu_time and limits.memory allow."),
                              fidelities()),
                       "packet"),
          with_default(one_of(text("symmetry",
                                   "Whether flow plays one of many equal UltraServers for all: "
                                   "auto does from 20,001 chips on."),
                              {"auto", "always", "never"}),
                       "auto"),
          with_default(count("seed", "Seed of everything random.", 0,
                             std::numeric_limits<std::int64_t>::max()),
                       "1"),
          impairments_key(),
          neighbours_key(),
          limits_key(),
          what_if_key(),
          sweep_key()};
}

}  // namespace

const std::vector<Key>& keys() {
  static const std::vector<Key> kKeys = declare();
  return kKeys;
}

}  // namespace scenarios

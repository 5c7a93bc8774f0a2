// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/topologies.h"

#include "topologies/cluster.h"
#include "topologies/full_mesh.h"
#include "topologies/keys.h"
#include "topologies/own.h"
#include "topologies/pcie.h"
#include "topologies/scale_up.h"
#include "topologies/star.h"
#include "topologies/switched.h"
#include "topologies/torus.h"
#include "topologies/ultraserver.h"

namespace topologies {

namespace {

template <DrawScaleUp draw>
sim::Result<sim::Topology> alone(const sim::Parameters& parameters) {
  return make_alone(draw, parameters);
}

template <DrawScaleUp draw>
sim::Result<sim::Topology> joined(const sim::Parameters& parameters) {
  return make_joined({draw, "servers", "link.buffer"}, parameters);
}

sim::Result<sim::Topology> ultracluster(const sim::Parameters& parameters) {
  return make_joined({draw_ultraservers, "ultraservers", "neuronlink.buffer"}, parameters);
}

}  // namespace

const sim::Catalog<Maker>& topologies() {
  static const sim::Catalog<Maker> catalog({
      {"full_mesh", "chips of a server, each joined to each", full_mesh_keys(),
       alone<draw_full_mesh>},
      {"full_mesh_cluster", "full meshes joined by a Clos of one to four tiers",
       joined_keys(full_mesh_keys(), "servers"), joined<draw_full_mesh>},
      {"own", "nodes and links of your own, in cluster.fabric of a scenario", own_keys(), make_own},
      {"pcie", "chips of a server on PCIe switches and sockets", pcie_keys(), alone<draw_pcie>},
      {"pcie_cluster", "PCIe servers joined by a Clos of one to four tiers",
       joined_keys(pcie_keys(), "servers"), joined<draw_pcie>},
      {"star", "any number of ends on one switch", star_keys(), make_star},
      {"switched", "chips of a server or rack behind scale-up switches", switched_keys(),
       alone<draw_switched>},
      {"switched_cluster", "switched servers or racks joined by a Clos of one to four tiers",
       joined_keys(switched_keys(), "servers"), joined<draw_switched>},
      {"torus", "a torus of up to three dimensions", torus_keys(), alone<draw_torus>},
      {"torus_cluster", "tori joined by a Clos of one to four tiers",
       joined_keys(torus_keys(), "servers"), joined<draw_torus>},
      {"ultracluster", "UltraServers joined by a Clos of one to four tiers, NICs on each chip",
       joined_keys(ultraserver_keys(), "ultraservers"), ultracluster},
      {"ultraserver",
       "one UltraServer: sled switches, rack switches in planes, twin links between racks",
       ultraserver_keys(), alone<draw_ultraservers>},
  });
  return catalog;
}

std::vector<sim::Key> fabric_keys() {
  sim::Key lanes = count_key("fabric.lanes", {1, 16},
                             "virtual lanes that traffic on lossless links is spread over, by "
                             "where it goes, times those that keep routes from deadlock");
  lanes.required = false;
  lanes.fallback = "1";
  return {
      choice_key("fabric.rerouting", {"static", "none"},
                 "static: routes are set anew round dead parts; none: a pair whose ways are all "
                 "dead is cut off"),
      lanes};
}

}  // namespace topologies

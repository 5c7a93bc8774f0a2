// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/topologies.h"

#include "topologies/star.h"
#include "topologies/ultracluster.h"
#include "topologies/ultraserver.h"

namespace topologies {

const sim::Catalog<Maker>& topologies() {
  static const sim::Catalog<Maker> catalog({
      {"star", "any number of ends on one switch", star_keys(), make_star},
      {"ultracluster",
       "UltraServers joined by a non-blocking two-tier Ethernet Clos, one EFA NIC per chip",
       ultracluster_keys(), make_ultracluster},
      {"ultraserver",
       "one UltraServer: sled switches, rack switches in planes, twin links between racks",
       ultraserver_keys(), make_ultraserver},
  });
  return catalog;
}

}  // namespace topologies

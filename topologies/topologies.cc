// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/topologies.h"

#include "topologies/star.h"

namespace topologies {

const sim::Catalog<Maker>& topologies() {
  static const sim::Catalog<Maker> catalog({
      {"star", "any number of ends on one switch", star_keys(), make_star},
  });
  return catalog;
}

}  // namespace topologies

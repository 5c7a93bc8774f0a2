// SPDX-License-Identifier: GPL-2.0-only
// The physical bound of a collective on a placed group: the least time that raw link rates allow,
// whatever the algorithm. For each level of the fabric (rank, sled, rack, ...) the group falls into
// parts; every part must let a known number of bytes out (or in), and no more than the maximum flow
// between it and the rest can pass, over the links that routes inside the group use. The largest of
// these times is the bound. All-reduce: S out of every part, and 2(m-1)S over all m parts (no
// reduction in the network; broadcast and reduce: S at every part and (m-1)S over all); all-to-all
// of X per rank: q(n-q)/n X out of a part of q; all-gather and reduce-scatter: (1 - q/n) X in or
// out (Thakur, Rabenseifner, Gropp 2005, section 3, with parts as nodes). Gather and scatter: q/n X
// at every part, the rest of X at the root's. Pairs and
// all-to-all-v: what a part's ranks send to others, or get from them; one copy of a row that a
// server shares. Several groups at once owe what each of them owes, over links that routes inside
// any of them use.
#pragma once

#include <string>

#include "sim/base/units.h"
#include "sim/engine/placement.h"
#include "sim/fabric/routes.h"
#include "sim/schedule/schedule.h"

namespace sim {

struct Bound {
  Time time;
  std::string name;  // "rack: 9,216 GB/s out of each of 2"
};

// `bytes` as sim/schedule/collective.h defines them; the layout's own may be padded. The layout is
// that of one group; `placement` may hold several, one after another.
[[nodiscard]] Bound physical_bound(const Topology& topology, const Layout& layout, Bytes bytes,
                                   const Placement& placement);
// Of a kind that needs no root and no pairs.
[[nodiscard]] Bound physical_bound(const Topology& topology, Collective collective, Bytes bytes,
                                   const Placement& placement);

}  // namespace sim

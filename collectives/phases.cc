// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/phases.h"

#include "collectives/flat.h"
#include "sim/base/check.h"

namespace collectives {
namespace {

using sim::Bytes;
using sim::Collective;

// The smallest size from `bytes` on whose parts are all equal.
Bytes equal_parts(const Job& job, const Flat& across, sim::Rank outer) {
  std::int64_t parts = std::int64_t{job.options.inner} * outer;
  if (job.collective == Collective::kAllReduce) {
    parts = std::int64_t{job.options.inner} * across.parts(outer, job.options);
  }
  return Bytes((job.bytes.value + parts - 1) / parts * parts);
}

PhaseJob phase(bool inside, const std::string& algorithm, Collective collective, sim::Rank ranks,
               Bytes bytes) {
  PhaseJob one;
  one.inside = inside;
  one.algorithm = algorithm;
  one.job.collective = collective;
  one.job.ranks = ranks;
  one.job.bytes = bytes;
  return one;
}

}  // namespace

sim::Result<Phases> phases_of(const Job& job) {
  if (job.options.slices != 1) {
    return sim::Failure{"its slices run into each other", "hierarchy: {slices: 1}"};
  }
  const sim::Rank inner = job.options.inner;
  const sim::Rank outer = job.ranks / inner;
  const std::string& in = job.options.inner_algorithm;
  const std::string& out = job.options.outer_algorithm;
  const Flat* across = find_flat(out);
  CHECK(across != nullptr && inner > 0);
  Phases phases;
  phases.bytes = equal_parts(job, *across, outer);
  const Bytes all = phases.bytes;
  const Bytes share(all.value / inner);
  switch (job.collective) {
    case Collective::kAllReduce:
      phases.phases = {phase(true, in, Collective::kReduceScatter, inner, all),
                       phase(false, out, Collective::kAllReduce, outer, share),
                       phase(true, in, Collective::kAllGather, inner, all)};
      break;
    case Collective::kAllGather:
      phases.phases = {phase(false, out, Collective::kAllGather, outer, share),
                       phase(true, in, Collective::kAllGather, inner, all)};
      break;
    case Collective::kReduceScatter:
      phases.phases = {phase(true, in, Collective::kReduceScatter, inner, all),
                       phase(false, out, Collective::kReduceScatter, outer, share)};
      break;
    case Collective::kAllToAll:
      phases.phases = {phase(true, in, Collective::kAllToAll, inner, all),
                       phase(false, out, Collective::kAllToAll, outer, all)};
      break;
    case Collective::kBroadcast:
    case Collective::kReduce:
    case Collective::kGather:
    case Collective::kScatter:
    case Collective::kBarrier:
    case Collective::kSendRecv:
    case Collective::kPermute:
    case Collective::kAllToAllV:
    case Collective::kProgram:
      return sim::Failure{"it has no phases inside and across", "symmetry: never draws every chip"};
  }
  return phases;
}

}  // namespace collectives

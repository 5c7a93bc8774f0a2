// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/case_ops.h"

#include <algorithm>

#include "collectives/given.h"
#include "scenarios/loader/keys.h"

namespace scenarios {
namespace {

std::int64_t ops_of_rank(const collectives::Algorithm& algorithm, const collectives::Job& job,
                         sim::Rank rank) {
  return static_cast<std::int64_t>(algorithm.plan(job, algorithm.layout(job), rank).ops.size());
}

// The root does one thing; of the others the next, the farthest and the one half way do most.
std::int64_t most_ops(const collectives::Algorithm& algorithm, const collectives::Job& job) {
  const sim::Rank n = job.ranks;
  const auto ops = [&](sim::Rank place) {
    return ops_of_rank(algorithm, job, (job.root + place) % n);
  };
  return ops(0) + (n - 1) * std::max({ops(1), ops(n / 2), ops(n - 1)});
}

}  // namespace

// From the first rank's program. The size does not matter unless it is so small that some parts are
// empty, so the largest size is asked for and the answer kept.
std::int64_t CaseOps::of(const std::string& algorithm, const collectives::Job& job) {
  if (job.given != nullptr) return job.given->ops();
  const collectives::Algorithm& make = collectives::algorithms().find(algorithm)->make;
  if (!sim::is_symmetric(job.collective)) return most_ops(make, job);
  const Key key{algorithm, job.collective, job.ranks, job.options.inner};
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  collectives::Job largest = job;
  largest.bytes = sim::Bytes(kMostBytes);
  return known_[key] = ops_of_rank(make, largest, 0) * job.ranks;
}

}  // namespace scenarios

// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/flat.h"

#include <fmt/format.h>

#include <utility>

#include "sim/base/check.h"

namespace collectives {

namespace {

template <const Flat&... flats>
std::vector<const Flat*> pointers(FlatList<flats...>) {
  return {&flats...};
}

}  // namespace

const std::vector<const Flat*>& flat_algorithms() {
  static const std::vector<const Flat*> all = pointers(FlatAlgorithms());
  return all;
}

const Flat* find_flat(std::string_view name) {
  for (const Flat* flat : flat_algorithms()) {
    if (flat->name == name) return flat;
  }
  return nullptr;
}

sim::Blocks Parts::range(std::uint32_t index, std::uint32_t count) const {
  sim::Blocks blocks = zero.moved_to(zero.first + index * step);
  if (count == 1) return blocks;
  if (zero.repeats == 1 && step != zero.run) return {blocks.first, zero.run, step, count};
  CHECK(step == zero.run);
  blocks.run *= count;
  return blocks;
}

sim::Blocks Parts::with_bit(std::uint32_t bit, bool value, std::uint32_t size) const {
  CHECK(step == zero.run && (zero.repeats == 1 || zero.stride == size * step));
  const std::uint32_t run = step << bit;
  const std::uint32_t first = zero.first + (value ? run : 0);
  return {first, run, 2 * run, zero.repeats * (size >> (bit + 1))};
}

sim::Bytes padded(sim::Bytes bytes, sim::Rank ranks) {
  return sim::Bytes((bytes.value + ranks - 1) / ranks * ranks);
}

std::optional<std::string> flat_obstacle(const Flat& flat, const Job& job) {
  if (!sim::is_symmetric(job.collective)) {
    return fmt::format("it has no {}", sim::name_of(job.collective));
  }
  if (job.ranks < 2) return "it needs at least 2 ranks";
  return flat.obstacle(job.collective, job.ranks);
}

sim::Layout flat_layout(const Flat& flat, const Job& job) {
  const sim::Rank n = job.ranks;
  if (job.collective == sim::Collective::kAllReduce) {
    return {job.collective, n, sim::BlockSizes(job.bytes, flat.all_reduce_parts(n), 1)};
  }
  if (job.collective != sim::Collective::kAllToAll) {
    return {job.collective, n, sim::BlockSizes(job.bytes, n, 1)};
  }
  const std::uint32_t scratch = flat.all_to_all_scratch(n);
  const sim::Bytes bytes = scratch == 0 ? job.bytes : padded(job.bytes, n);
  return {job.collective, n, sim::BlockSizes(bytes, n, 2 + scratch)};
}

sim::RankProgram plan_flat(const Flat& flat, const Job& job, const sim::Layout& layout,
                           sim::Rank rank) {
  sim::Planner planner(rank, layout.sizes);
  const Group group{job.ranks, rank, 0, 1};
  const Phase phase{planner, group, Parts{}, 0};
  std::uint32_t slots = 0;
  switch (job.collective) {
    case sim::Collective::kAllReduce:
      slots = flat.all_reduce(phase);
      break;
    case sim::Collective::kAllGather:
      slots = flat.all_gather(phase);
      break;
    case sim::Collective::kReduceScatter:
      slots = flat.reduce_scatter(phase);
      break;
    case sim::Collective::kAllToAll: {
      const std::uint32_t n = job.ranks;
      slots = flat.all_to_all({planner, group, Parts{}, Parts{}.moved_to(n), 2 * n, n, 0});
      break;
    }
    default:
      CHECK(false && "a kind without phases");
  }
  return std::move(planner).take(slots);
}

}  // namespace collectives

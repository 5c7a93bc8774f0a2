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

// Runs of neighbours of one length, one distance apart, make one set where a part is one run.
std::vector<sim::Blocks> Parts::cover(const std::vector<std::uint32_t>& indexes) const {
  std::vector<sim::Blocks> sets;
  const bool joins = step == zero.run;  // neighbouring parts touch
  for (std::size_t i = 0; i < indexes.size();) {
    std::size_t end = i + 1;
    while (joins && end < indexes.size() && indexes[end] == indexes[end - 1] + 1) ++end;
    sim::Blocks set = range(indexes[i], static_cast<std::uint32_t>(end - i));
    sim::Blocks* last = sets.empty() ? nullptr : &sets.back();
    const bool fits =
        last != nullptr && zero.repeats == 1 && last->run == set.run &&
        (last->repeats == 1 || last->first + last->repeats * last->stride == set.first);
    if (fits) {
      if (last->repeats == 1) last->stride = set.first - last->first;
      ++last->repeats;
    } else {
      sets.push_back(set);
    }
    i = end;
  }
  return sets;
}

std::optional<std::string> Flat::cannot(sim::Collective collective, sim::Rank size) const {
  const auto serves = [&] {
    switch (collective) {
      case sim::Collective::kAllReduce:
        return all_reduce != nullptr;
      case sim::Collective::kAllGather:
        return all_gather != nullptr;
      case sim::Collective::kReduceScatter:
        return reduce_scatter != nullptr;
      case sim::Collective::kAllToAll:
        return all_to_all != nullptr;
      case sim::Collective::kAllToAllV:
        return all_to_all_v != nullptr;
      default:
        return false;
    }
  };
  if (!serves()) return fmt::format("it has no {}", sim::name_of(collective));
  return obstacle == nullptr || size < 2 ? std::nullopt : obstacle(collective, size);
}

std::uint32_t Flat::parts(sim::Rank size, const Options& options) const {
  return tensor_parts == nullptr || size < 2 ? 1 : tensor_parts(size, options);
}

sim::Key count_key(std::string name, std::string help, std::uint64_t fallback, std::int64_t least,
                   std::int64_t most) {
  sim::Key key;
  key.name = std::move(name);
  key.dimension = sim::Dimension::kCount;
  key.help = std::move(help);
  key.fallback = fmt::format("{}", fallback);
  key.least = least;
  key.most = most;
  return key;
}

sim::Key window_key() {
  return count_key("window", "peers that a rank of an all_to_all sends to at once; 0: all",
                   Options().window, 0, 1'000'000);
}

sim::Key chunks_key() {
  return count_key("chunks", "chain, double_tree: pieces in which the data is passed on",
                   Options().chunks, 1, 65'536);
}

sim::Key channels_key() {
  return count_key("channels", "ring: rings over the same ranks, each with its share of the bytes",
                   Options().channels, 1, 64);
}

sim::Bytes padded(sim::Bytes bytes, sim::Rank ranks) {
  return sim::Bytes((bytes.value + ranks - 1) / ranks * ranks);
}

std::shared_ptr<const sim::Traffic> traffic_of(const Job& job) {
  if (job.traffic) return job.traffic;
  return std::make_shared<const sim::Traffic>(sim::even_traffic(job.ranks, job.bytes));
}

std::optional<std::string> traffic_obstacle(const Job& job, bool shares) {
  if (job.ranks > sim::kMostRoutedRanks) {
    return fmt::format("it serves at most {} ranks", sim::kMostRoutedRanks);
  }
  if (!job.traffic) return std::nullopt;
  if (job.traffic->ranks != job.ranks || !sim::is_sound(*job.traffic)) {
    return fmt::format("its traffic is not that of {} ranks", job.ranks);
  }
  if (job.traffic->server == 0 || shares) return std::nullopt;
  return "rows go to each server once, and it sends to each rank by itself";
}

std::optional<std::string> flat_obstacle(const Flat& flat, const Job& job) {
  if (!sim::is_flat_kind(job.collective)) {
    return fmt::format("it has no {}", sim::name_of(job.collective));
  }
  if (job.ranks == 0) return "it needs a rank";
  if (job.collective == sim::Collective::kAllToAllV && flat.all_to_all_v != nullptr) {
    if (auto obstacle = traffic_obstacle(job, false)) return obstacle;
  }
  return flat.cannot(job.collective, job.ranks);
}

sim::Layout flat_layout(const Flat& flat, const Job& job) {
  const sim::Rank n = job.ranks;
  if (job.collective == sim::Collective::kAllToAllV) {
    auto traffic = traffic_of(job);
    sim::Layout layout{job.collective, n, sim::traffic_blocks(*traffic)};
    layout.traffic = std::move(traffic);
    return layout;
  }
  if (job.collective == sim::Collective::kAllReduce) {
    return {job.collective, n, sim::BlockSizes(job.bytes, flat.parts(n, job.options), 1)};
  }
  if (job.collective != sim::Collective::kAllToAll) {
    const std::uint32_t channels = flat.channelled && n > 1 ? job.options.channels : 1;
    return {job.collective, n, sim::BlockSizes(job.bytes, n * channels, 1)};
  }
  const std::uint32_t scratch = flat.scratch_regions(n);
  const sim::Bytes bytes = scratch == 0 ? job.bytes : padded(job.bytes, n);
  return {job.collective, n, sim::BlockSizes(bytes, n, 2 + scratch)};
}

namespace {

// A rank by itself: what it owes itself is copied, nothing else is to do.
sim::RankProgram plan_alone(const Job& job, const sim::Layout& layout) {
  sim::Planner planner(0, layout.sizes);
  if (job.collective == sim::Collective::kAllToAll) planner.copy({1, 1, 1, 1}, 0);
  if (job.collective == sim::Collective::kAllToAllV) {
    const sim::TrafficBlocks blocks(1);
    planner.copy({blocks.held(0, 0), 1, 1, 1}, blocks.owed(0, 0));
  }
  return std::move(planner).take(0);
}

}  // namespace

sim::RankProgram plan_flat(const Flat& flat, const Job& job, const sim::Layout& layout,
                           sim::Rank rank) {
  if (job.ranks == 1) return plan_alone(job, layout);
  sim::Planner planner(rank, layout.sizes);
  const Group group{job.ranks, rank, 0, 1};
  const Phase phase{planner, group, Parts{}, 0, layout.sizes.parts()};
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
      slots = flat.all_to_all(
          {planner, group, Parts{}, Parts{}.moved_to(n), 2 * n, n, 0, job.options.window});
      break;
    }
    case sim::Collective::kAllToAllV: {
      const sim::TrafficBlocks blocks(job.ranks);
      const Parts from{{blocks.owed(rank, 0), 1, 1, 1}, 1};
      const Parts to{{blocks.held(0, rank), 1, 1, 1}, job.ranks};
      slots = flat.all_to_all_v({planner, group, from, to, 0, 0, 0, job.options.window, 1});
      break;
    }
    default:
      CHECK(false && "a kind without phases");
  }
  return std::move(planner).take(slots);
}

}  // namespace collectives

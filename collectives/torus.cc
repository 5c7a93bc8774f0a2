// SPDX-License-Identifier: GPL-2.0-only
// Torus: rank x0 + d0 * (x1 + d1 * x2) sits at (x0, x1, x2) of a grid. A collective works along one
// dimension after another, by a flat algorithm (bucket algorithm, Jain & Sabharwal 2010; for an
// all-to-all of two or three levels, direct along each). An all-reduce is cut in as many parts as
// there are dimensions; each begins with another one, so that all links work all the time.
#include <fmt/format.h>

#include <limits>
#include <utility>

#include "collectives/composed.h"
#include "collectives/flat.h"

namespace collectives {
namespace {

constexpr std::size_t kMostDimensions = 3;

struct Grid {
  const std::vector<sim::Rank>& sizes;
  sim::Rank me;
  const Flat& flat;

  Grid(const Job& job, sim::Rank rank)
      : sizes(job.options.dimensions),
        me(rank),
        flat(*find_flat(job.options.dimension_algorithm)) {}

  [[nodiscard]] std::size_t dimensions() const { return sizes.size(); }
  // Ranks between neighbours along a dimension.
  [[nodiscard]] sim::Rank stride(std::size_t dimension) const {
    sim::Rank ranks = 1;
    for (std::size_t d = 0; d < dimension; ++d) ranks *= sizes[d];
    return ranks;
  }
  [[nodiscard]] sim::Rank at(std::size_t dimension) const {
    return me / stride(dimension) % sizes[dimension];
  }
  [[nodiscard]] Group line(std::size_t dimension) const {
    const sim::Rank step = stride(dimension);
    return {sizes[dimension], at(dimension), me - at(dimension) * step, step};
  }
  [[nodiscard]] sim::Rank ranks() const { return stride(dimensions()); }
};

// The work left before stage `stage` of an order of dimensions: `first` block and how many of them,
// for a rank that keeps its own part of each dimension gone.
struct Left {
  std::uint32_t first;
  std::uint32_t count;
};

Left left_before(const Grid& grid, const std::vector<std::size_t>& order, std::size_t stage) {
  Left left{0, grid.ranks()};
  for (std::size_t s = 0; s < stage; ++s) {
    left.count /= grid.sizes[order[s]];
    left.first += grid.at(order[s]) * left.count;
  }
  return left;
}

// One stage of a reduce-scatter or all-gather whose blocks are numbered by `order`.
std::uint32_t run_stage(const Grid& grid, const std::vector<std::size_t>& order, std::size_t stage,
                        RunPhase run, sim::Planner& planner, std::uint32_t base,
                        std::uint32_t slot) {
  const Left left = left_before(grid, order, stage);
  const std::uint32_t width = left.count / grid.sizes[order[stage]];
  const Parts parts{{base + left.first, width, width, 1}, width};
  return run({planner, grid.line(order[stage]), parts, slot});
}

// Ranks are numbered with the last dimension slowest, so that it comes first.
std::vector<std::size_t> order_from(const Grid& grid, std::size_t first) {
  std::vector<std::size_t> order;
  const std::size_t count = grid.dimensions();
  for (std::size_t i = 0; i < count; ++i) order.push_back((first + count - i) % count);
  return order;
}

std::uint32_t plan_scatter_or_gather(const Grid& grid, sim::Planner& planner, bool scatters) {
  const std::vector<std::size_t> order = order_from(grid, grid.dimensions() - 1);
  std::uint32_t slot = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    slot = scatters ? run_stage(grid, order, i, grid.flat.reduce_scatter, planner, 0, slot)
                    : run_stage(grid, order, order.size() - 1 - i, grid.flat.all_gather, planner, 0,
                                slot);
  }
  return slot;
}

std::uint32_t plan_all_reduce(const Grid& grid, sim::Planner& planner) {
  const std::size_t count = grid.dimensions();
  std::uint32_t slot = 0;
  for (std::size_t stage = 0; stage < 2 * count; ++stage) {
    for (std::size_t part = 0; part < count; ++part) {
      const std::vector<std::size_t> order = order_from(grid, part);
      const auto base = static_cast<std::uint32_t>(part) * grid.ranks();
      const bool scatters = stage < count;
      slot = run_stage(grid, order, scatters ? stage : 2 * count - 1 - stage,
                       scatters ? grid.flat.reduce_scatter : grid.flat.all_gather, planner, base,
                       slot);
    }
  }
  return slot;
}

// Stage d brings all to the right place of dimension d; a region for what came of each.
std::uint32_t plan_all_to_all(const Grid& grid, sim::Planner& planner) {
  const std::uint32_t n = grid.ranks();
  std::uint32_t slot = 0;
  std::uint32_t scratch = static_cast<std::uint32_t>(grid.dimensions() + 1) * n;
  std::uint32_t from = 0;
  for (std::size_t d = 0; d < grid.dimensions(); ++d) {
    const std::uint32_t below = grid.stride(d);
    const std::uint32_t all = below * grid.sizes[d];
    const Parts parts{{0, below, all, n / all}, below};
    const bool last = d + 1 == grid.dimensions();
    const std::uint32_t to = last ? n : static_cast<std::uint32_t>(d + 2) * n;
    slot = grid.flat.all_to_all(
        {planner, grid.line(d), parts.moved_to(from), parts.moved_to(to), scratch, n, slot});
    scratch += grid.flat.scratch_regions(grid.sizes[d]) * n;
    from = to;
  }
  return slot;
}

std::uint64_t regions(const Grid& grid) {
  std::uint64_t count = grid.dimensions() + 1;
  for (const sim::Rank size : grid.sizes) count += grid.flat.scratch_regions(size);
  return count;
}

std::vector<sim::Collective> work_of(sim::Collective collective) {
  if (collective != sim::Collective::kAllReduce) return {collective};
  return {sim::Collective::kReduceScatter, sim::Collective::kAllGather};
}

std::optional<std::string> torus_obstacle(const Job& job) {
  const Options& options = job.options;
  if (!sim::is_symmetric(job.collective)) {
    return fmt::format("it has no {}", sim::name_of(job.collective));
  }
  if (job.ranks < 2) return "it needs at least 2 ranks";
  const std::vector<sim::Collective> work = work_of(job.collective);
  if (options.dimensions.empty()) return "it needs dimensions, the sizes of the grid";
  const Flat* flat = find_flat(options.dimension_algorithm);
  if (flat == nullptr) {
    return fmt::format("there is no dimension_algorithm '{}'", options.dimension_algorithm);
  }
  std::uint64_t ranks = 1;
  for (const sim::Rank size : options.dimensions) ranks *= size;
  if (options.dimensions.size() > kMostDimensions || ranks != job.ranks) {
    return fmt::format("its dimensions {} are not 1 to 3 sizes whose product is {}",
                       fmt::join(options.dimensions, " x "), job.ranks);
  }
  for (const sim::Rank size : options.dimensions) {
    if (size < 2) return "each of its dimensions must be at least 2";
    for (const sim::Collective part : work) {
      if (const auto why = flat->cannot(part, size)) {
        return fmt::format("its dimension_algorithm {} cannot serve {} over {} ranks: {}",
                           flat->name, sim::name_of(part), size, *why);
      }
    }
  }
  const std::uint64_t blocks = regions(Grid(job, 0)) * job.ranks;
  if (blocks <= std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return fmt::format("it would cut the data into {} blocks", blocks);
}

sim::Layout torus_layout(const Job& job) {
  const Grid grid(job, 0);
  const auto dimensions = static_cast<std::uint32_t>(grid.dimensions());
  switch (job.collective) {
    case sim::Collective::kAllToAll:
      return {job.collective, job.ranks,
              sim::BlockSizes(padded(job.bytes, job.ranks), job.ranks,
                              static_cast<std::uint32_t>(regions(grid)))};
    case sim::Collective::kAllReduce:
      return {job.collective, job.ranks, sim::BlockSizes(job.bytes, dimensions * job.ranks, 1)};
    default:
      return {job.collective, job.ranks, sim::BlockSizes(job.bytes, job.ranks, 1)};
  }
}

sim::RankProgram plan_torus(const Job& job, const sim::Layout& layout, sim::Rank rank) {
  const Grid grid(job, rank);
  sim::Planner planner(rank, layout.sizes);
  std::uint32_t slots = 0;
  switch (job.collective) {
    case sim::Collective::kAllGather:
    case sim::Collective::kReduceScatter:
      slots =
          plan_scatter_or_gather(grid, planner, job.collective == sim::Collective::kReduceScatter);
      break;
    case sim::Collective::kAllToAll:
      slots = plan_all_to_all(grid, planner);
      break;
    default:
      slots = plan_all_reduce(grid, planner);
      break;
  }
  return std::move(planner).take(slots);
}

std::vector<sim::Key> torus_keys() {
  std::vector<std::string> names;
  for (const Flat* flat : flat_algorithms()) names.emplace_back(flat->name);
  std::vector<sim::Key> keys(2);
  keys[0].name = "dimensions";
  keys[0].help = "sizes of the grid of ranks, such as 4x4x4; the first varies fastest";
  keys[1].name = "dimension_algorithm";
  keys[1].help = "algorithm along a dimension; direct gives all_to_all in levels";
  keys[1].fallback = Options().dimension_algorithm;
  keys[1].choices = names;
  return keys;
}

}  // namespace

constinit const Composed kTorus = {
    .name = "torus",
    .summary = "along one dimension of a grid of ranks after another, all at once for all_reduce",
    .keys = torus_keys,
    .obstacle = torus_obstacle,
    .layout = torus_layout,
    .plan = plan_torus,
};

}  // namespace collectives

// SPDX-License-Identifier: GPL-2.0-only
#include "sim/fabric/inspect.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <boost/graph/strong_components.hpp>
#include <limits>
#include <numeric>

#include "sim/base/check.h"

namespace sim {

namespace {

using Wide = unsigned __int128;
using Plain = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
using FlowTraits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using FlowGraph = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS, boost::no_property,
    boost::property<
        boost::edge_capacity_t, std::int64_t,
        boost::property<boost::edge_residual_capacity_t, std::int64_t,
                        boost::property<boost::edge_reverse_t, FlowTraits::edge_descriptor>>>>;

Plain plain_graph(const Fabric& fabric) {
  Plain graph(fabric.nodes().size());
  for (std::uint32_t id = 0; id < fabric.links().size(); ++id) {
    const Link& link = fabric.links()[id];
    if (!fabric.dead(LinkId{id})) add_edge(index(link.from), index(link.to), graph);
  }
  return graph;
}

// A flow problem under construction: each edge is added with its empty reverse.
class FlowProblem {
 public:
  explicit FlowProblem(std::size_t vertices) : graph_(vertices) {}

  void add(std::size_t from, std::size_t to, std::int64_t capacity) {
    const auto there = add_edge(from, to, graph_).first;
    const auto back = add_edge(to, from, graph_).first;
    put(boost::edge_capacity, graph_, there, capacity);
    put(boost::edge_capacity, graph_, back, std::int64_t{0});
    put(boost::edge_reverse, graph_, there, back);
    put(boost::edge_reverse, graph_, back, there);
  }

  std::int64_t solve(std::size_t source, std::size_t sink) {
    return push_relabel_max_flow(graph_, source, sink);
  }

 private:
  FlowGraph graph_;
};

bool carries(const Fabric& fabric, const std::vector<bool>* allowed, std::size_t link) {
  if (fabric.dead(LinkId{static_cast<std::uint32_t>(link)})) return false;
  return allowed == nullptr || (*allowed)[link];
}

// By node: the sum of its outgoing (or incoming) links, which no flow through it can exceed.
std::vector<std::int64_t> node_rates(const Fabric& fabric, const std::vector<bool>* allowed,
                                     bool outgoing) {
  std::vector<std::int64_t> rates(fabric.nodes().size(), 0);
  Wide sum = 0;
  for (std::size_t id = 0; id < fabric.links().size(); ++id) {
    if (!carries(fabric, allowed, id)) continue;
    const Link& link = fabric.links()[id];
    sum += static_cast<Wide>(link.bandwidth.value);
    CHECK(sum <= static_cast<Wide>(std::numeric_limits<std::int64_t>::max()));
    rates[index(outgoing ? link.from : link.to)] += link.bandwidth.value;
  }
  return rates;
}

// Whether every group of `inner` lies within one group of `outer`.
bool nests(const Level& inner, const Level& outer) {
  constexpr auto kNone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> around(inner.groups, kNone);
  for (std::size_t end = 0; end < inner.group_of.size(); ++end) {
    std::uint32_t& group = around[inner.group_of[end]];
    if (group == kNone) group = outer.group_of[end];
    if (group != outer.group_of[end]) return false;
  }
  return true;
}

// The outermost level with at least two groups among those that nest one in the next.
const Level& outermost(const Fabric& fabric) {
  const Level* nested = nullptr;
  for (const Level& level : fabric.levels()) {
    if (level.groups >= 2 && (nested == nullptr || nests(*nested, level))) nested = &level;
  }
  CHECK(nested != nullptr);
  return *nested;
}

// How much every link carries when each pair of the group exchanges `unit`, split evenly over its
// paths.
std::vector<Wide> pair_loads(const Topology& topology, std::span<const EndpointId> group,
                             std::uint64_t unit) {
  std::vector<Wide> loads(topology.fabric->links().size(), 0);
  std::vector<LinkId> links;
  for (const EndpointId from : group) {
    for (const EndpointId to : group) {
      if (from == to) continue;
      const std::uint32_t paths = topology.routes->path_count(from, to);
      for (std::uint32_t path = 0; path < paths; ++path) {
        links.clear();
        topology.routes->append_path(from, to, path, links);
        for (const LinkId link : links) loads[index(link)] += unit / paths;
      }
    }
  }
  return loads;
}

// The least number that all path counts of the group divide.
std::uint64_t common_multiple(const Routes& routes, std::span<const EndpointId> group) {
  std::uint64_t multiple = 1;
  for (const EndpointId from : group) {
    for (const EndpointId to : group) {
      if (from == to) continue;
      multiple = std::lcm(multiple, std::uint64_t{routes.path_count(from, to)});
      CHECK(multiple < (std::uint64_t{1} << 32));
    }
  }
  return multiple;
}

}  // namespace

bool strongly_connected(const Fabric& fabric) {
  const Plain graph = plain_graph(fabric);
  std::vector<std::size_t> component(num_vertices(graph));
  const auto map =
      boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, graph));
  return strong_components(graph, map) == 1;
}

std::uint32_t diameter(const Fabric& fabric) {
  constexpr auto kFar = std::numeric_limits<std::uint32_t>::max();
  const Plain graph = plain_graph(fabric);
  std::uint32_t longest = 0;
  for (std::uint32_t end = 0; end < fabric.endpoints(); ++end) {
    std::vector<std::uint32_t> distance(num_vertices(graph), kFar);
    const std::size_t start = index(fabric.node_of(EndpointId{end}));
    distance[start] = 0;
    breadth_first_search(graph, start,
                         visitor(boost::make_bfs_visitor(
                             boost::record_distances(distance.data(), boost::on_tree_edge()))));
    for (std::uint32_t other = 0; other < fabric.endpoints(); ++other) {
      const std::uint32_t hops = distance[index(fabric.node_of(EndpointId{other}))];
      CHECK(hops != kFar);
      longest = std::max(longest, hops);
    }
  }
  return longest;
}

Bandwidth max_flow(const Fabric& fabric, std::span<const EndpointId> sources,
                   std::span<const EndpointId> sinks, const std::vector<bool>* allowed) {
  CHECK(allowed == nullptr || allowed->size() == fabric.links().size());
  const std::size_t source = fabric.nodes().size();
  const std::size_t sink = source + 1;
  FlowProblem problem(sink + 1);
  for (std::size_t id = 0; id < fabric.links().size(); ++id) {
    const Link& link = fabric.links()[id];
    if (carries(fabric, allowed, id))
      problem.add(index(link.from), index(link.to), link.bandwidth.value);
  }
  const std::vector<std::int64_t> out = node_rates(fabric, allowed, true);
  const std::vector<std::int64_t> in = node_rates(fabric, allowed, false);
  std::vector<bool> at_source(fabric.endpoints(), false);
  for (const EndpointId end : sources) {
    CHECK(!at_source[index(end)]);
    at_source[index(end)] = true;
    problem.add(source, index(fabric.node_of(end)), out[index(fabric.node_of(end))]);
  }
  for (const EndpointId end : sinks) {
    CHECK(!at_source[index(end)]);
    problem.add(index(fabric.node_of(end)), sink, in[index(fabric.node_of(end))]);
  }
  return Bandwidth(problem.solve(source, sink));
}

Bandwidth bisection(const Fabric& fabric) {
  const Level& level = outermost(fabric);
  std::vector<EndpointId> first;
  std::vector<EndpointId> rest;
  for (std::uint32_t end = 0; end < fabric.endpoints(); ++end) {
    const bool in_first = level.group_of[end] < level.groups / 2;
    (in_first ? first : rest).push_back(EndpointId{end});
  }
  return max_flow(fabric, first, rest);
}

UniformLoad uniform_all_to_all(const Topology& topology, std::span<const EndpointId> group) {
  CHECK(group.size() >= 2);
  const std::uint64_t unit = common_multiple(*topology.routes, group);
  const std::vector<Wide> loads = pair_loads(topology, group, unit);
  const auto rate = [&](std::size_t link) {
    return static_cast<Wide>(topology.fabric->links()[link].bandwidth.value);
  };
  std::size_t fullest = loads.size();
  for (std::size_t link = 0; link < loads.size(); ++link) {
    if (loads[link] == 0) continue;
    if (fullest == loads.size() || rate(link) * loads[fullest] < rate(fullest) * loads[link]) {
      fullest = link;
    }
  }
  CHECK(fullest < loads.size());
  const Wide injection = rate(fullest) * (group.size() - 1) * unit / loads[fullest];
  CHECK(injection <= static_cast<Wide>(std::numeric_limits<std::int64_t>::max()));
  return {Bandwidth(static_cast<std::int64_t>(injection)),
          LinkId{static_cast<std::uint32_t>(fullest)}};
}

std::vector<std::uint64_t> hop_histogram(const Topology& topology) {
  std::vector<std::uint64_t> pairs;
  std::vector<LinkId> links;
  for (std::uint32_t from = 0; from < topology.fabric->endpoints(); ++from) {
    for (std::uint32_t to = 0; to < topology.fabric->endpoints(); ++to) {
      if (from == to) continue;
      links.clear();
      topology.routes->append_path(EndpointId{from}, EndpointId{to}, 0, links);
      if (links.size() >= pairs.size()) pairs.resize(links.size() + 1, 0);
      ++pairs[links.size()];
    }
  }
  return pairs;
}

}  // namespace sim

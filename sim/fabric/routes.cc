// SPDX-License-Identifier: GPL-2.0-only
#include "sim/fabric/routes.h"

#include <limits>
#include <memory>
#include <utility>

#include "sim/base/check.h"

namespace sim {

namespace {

constexpr LinkId kNoLink{std::numeric_limits<std::uint32_t>::max()};

class ShortestRoutes final : public Routes {
 public:
  explicit ShortestRoutes(const Fabric& fabric)
      : fabric_(fabric), into_(in_links(fabric)), next_(fabric.endpoints()) {}

  std::uint32_t path_count(EndpointId, EndpointId) const override { return 1; }

  void append_path(EndpointId from, EndpointId to, std::uint32_t path,
                   std::vector<LinkId>& links) const override {
    CHECK(from != to && path == 0);
    const std::vector<LinkId>& next = next_links(to);
    const NodeId goal = fabric_.node_of(to);
    for (NodeId at = fabric_.node_of(from); at != goal;) {
      const LinkId link = next[index(at)];
      CHECK(link != kNoLink);  // the fabric must be connected
      links.push_back(link);
      at = fabric_.link(link).to;
    }
  }

 private:
  static std::vector<std::vector<LinkId>> in_links(const Fabric& fabric) {
    std::vector<std::vector<LinkId>> into(fabric.nodes().size());
    for (std::uint32_t link = 0; link < fabric.links().size(); ++link) {
      into[index(fabric.links()[link].to)].push_back(LinkId{link});
    }
    return into;
  }

  // By node: the first link of its shortest path to `to`.
  const std::vector<LinkId>& next_links(EndpointId to) const {
    std::vector<LinkId>& next = next_[index(to)];
    if (next.empty()) next = search(fabric_.node_of(to));
    return next;
  }

  std::vector<LinkId> search(NodeId goal) const {
    constexpr auto kFar = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> distance(fabric_.nodes().size(), kFar);
    std::vector<LinkId> next(fabric_.nodes().size(), kNoLink);
    std::vector<NodeId> queue{goal};
    distance[index(goal)] = 0;
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const std::uint32_t reached = distance[index(queue[head])] + 1;
      for (const LinkId link : into_[index(queue[head])]) {
        const NodeId from = fabric_.link(link).from;
        if (distance[index(from)] == kFar) {
          distance[index(from)] = reached;
          queue.push_back(from);
        }
        if (distance[index(from)] == reached && index(link) < index(next[index(from)])) {
          next[index(from)] = link;
        }
      }
    }
    return next;
  }

  const Fabric& fabric_;
  std::vector<std::vector<LinkId>> into_;          // by node
  mutable std::vector<std::vector<LinkId>> next_;  // by destination, filled when first asked for
};

}  // namespace

std::unique_ptr<Routes> shortest_routes(const Fabric& fabric) {
  return std::make_unique<ShortestRoutes>(fabric);
}

}  // namespace sim

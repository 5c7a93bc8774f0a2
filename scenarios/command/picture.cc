// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "sim/fabric/structure.h"

namespace scenarios {
namespace {

using sim::Fabric;
using sim::Level;
using sim::LinkId;
using sim::NodeId;
using sim::NodeKind;

constexpr double kCell = 30;    // room of one node
constexpr double kSwitch = 46;  // width of a switch with its label
constexpr double kGap = 10;     // between and inside boxes
constexpr double kLabel = 14;   // height of a box's label
constexpr std::size_t kMostInRow = 9;
constexpr std::size_t kMostInColumn = 18;  // boxes on each other
constexpr std::size_t kMostBeside = 8;     // outermost boxes

struct Size {
  double width = 0;
  double height = 0;
};

// Lives only during `picture_of`. Depth 0 is the whole drawing, then the levels from outside in.
class Drawing {
 public:
  explicit Drawing(const Fabric& fabric) : fabric_(fabric) {
    picture_.spots.resize(fabric.nodes().size());
    find_levels();
    find_homes();
  }

  Picture draw() && {
    const Size size = size_of(0, 0);
    place(0, 0, kGap, kGap);
    picture_.width = size.width + 2 * kGap;
    picture_.height = size.height + 2 * kGap;
    return std::move(picture_);
  }

 private:
  using Home = std::pair<std::size_t, std::uint32_t>;  // depth and group

  void find_levels() {
    for (const Level* level : sim::nested_levels(fabric_)) {
      const bool tells = level->groups > 1 && level->name != "chip";
      if (tells) levels_.insert(levels_.begin(), level);
    }
    for (std::size_t depth = 0; depth < levels_.size(); ++depth) {
      std::set<std::pair<std::uint32_t, std::uint32_t>> seen;  // parent and child
      for (std::uint32_t end = 0; end < fabric_.endpoints(); ++end) {
        const std::uint32_t parent = depth == 0 ? 0 : levels_[depth - 1]->group_of[end];
        seen.insert({parent, levels_[depth]->group_of[end]});
      }
      for (const auto& [parent, child] : seen) children_[{depth, parent}].push_back(child);
    }
  }

  void find_homes() {
    std::vector<Home> home(fabric_.nodes().size(), Home{0, 0});
    for (std::size_t depth = 0; depth < levels_.size(); ++depth) {
      const std::vector<std::uint32_t> groups = sim::groups_served(fabric_, *levels_[depth]);
      for (std::size_t node = 0; node < groups.size(); ++node) {
        if (groups[node] != sim::kNoGroup) home[node] = {depth + 1, groups[node]};
      }
    }
    for (std::uint32_t node = 0; node < home.size(); ++node) {
      const NodeKind kind = fabric_.nodes()[node].kind;
      if (kind == NodeKind::kCore) continue;
      const bool above = kind == NodeKind::kSwitch;
      (above ? switches_ : others_)[home[node]].push_back(NodeId{node});
    }
  }

  [[nodiscard]] bool is_leaf(std::size_t depth) const { return depth == levels_.size(); }

  // Chips and NICs in one row, or as a square.
  static std::size_t per_row(std::size_t nodes) {
    if (nodes <= kMostInRow) return std::max<std::size_t>(nodes, 1);
    return static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(nodes))));
  }

  static std::size_t rows(std::size_t items, std::size_t in_row) {
    return (items + in_row - 1) / in_row;
  }

  [[nodiscard]] std::size_t boxes_per_row(std::size_t depth, std::size_t boxes) const {
    if (depth == 0) return std::min(boxes, kMostBeside);
    return rows(boxes, kMostInColumn);
  }

  static const std::vector<NodeId>& at(const std::map<Home, std::vector<NodeId>>& map, Home home) {
    static const std::vector<NodeId> kNone;
    const auto found = map.find(home);
    return found == map.end() ? kNone : found->second;
  }

  // What stands below the switches: boxes or nodes.
  Size inner_size(std::size_t depth, std::uint32_t group) const {
    const std::size_t nodes = at(others_, {depth, group}).size();
    Size size;
    if (nodes > 0) {
      size.width = static_cast<double>(per_row(nodes)) * kCell;
      size.height = static_cast<double>(rows(nodes, per_row(nodes))) * kCell;
    }
    const auto found = children_.find({depth, group});
    if (is_leaf(depth) || found == children_.end()) return size;
    const std::size_t boxes = found->second.size();
    const std::size_t in_row = boxes_per_row(depth, boxes);
    const Size one = size_of(depth + 1, found->second.front());
    size.width = std::max(size.width, static_cast<double>(in_row) * (one.width + kGap) - kGap);
    size.height += static_cast<double>(rows(boxes, in_row)) * (one.height + kGap);
    return size;
  }

  // Sleds are so low that their one switch stands beside the chips.
  [[nodiscard]] bool beside(std::size_t depth, std::uint32_t group) const {
    return is_leaf(depth) && depth > 0 && at(switches_, {depth, group}).size() == 1 &&
           at(others_, {depth, group}).size() <= kMostInRow;
  }

  std::size_t switches_per_row(std::size_t depth, std::uint32_t group) const {
    const double width = std::max(inner_size(depth, group).width, kSwitch);
    return std::max<std::size_t>(1, static_cast<std::size_t>(width / kSwitch));
  }

  double switches_height(std::size_t depth, std::uint32_t group) const {
    const std::size_t count = at(switches_, {depth, group}).size();
    if (beside(depth, group)) return 0;
    return static_cast<double>(rows(count, switches_per_row(depth, group))) * (kCell + kGap);
  }

  Size size_of(std::size_t depth, std::uint32_t group) const {
    Size size = inner_size(depth, group);
    size.width = std::max(size.width, at(switches_, {depth, group}).empty() ? 0 : kSwitch);
    if (beside(depth, group)) size.width += kSwitch;
    size.height += switches_height(depth, group);
    if (depth == 0) return size;
    return {size.width + 2 * kGap, size.height + kGap + kLabel};
  }

  void put(NodeId node, double x, double y) { picture_.spots[index(node)] = {x, y, true}; }

  void place(std::size_t depth, std::uint32_t group, double x, double y) {
    if (depth > 0) {
      const Size size = size_of(depth, group);
      picture_.boxes.push_back({x, y, size.width, size.height, label(depth, group)});
      x += kGap;
      y += kLabel;
    }
    const double top = y;
    const double left = x;
    if (beside(depth, group)) {
      put(at(switches_, {depth, group}).front(), x + kSwitch / 2, y + kCell / 2);
      x += kSwitch;
    }
    y += switches_height(depth, group);
    place_boxes(depth, group, x, place_nodes(depth, group, x, y));
    if (!beside(depth, group)) place_switches(depth, group, left, top);
  }

  double place_nodes(std::size_t depth, std::uint32_t group, double x, double y) {
    const std::vector<NodeId>& nodes = at(others_, {depth, group});
    const std::size_t in_row = per_row(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      put(nodes[i], x + kCell * (static_cast<double>(i % in_row) + 0.5),
          y + kCell * (static_cast<double>(i / in_row) + 0.5));
    }
    return nodes.empty() ? y : y + kCell * static_cast<double>(rows(nodes.size(), in_row));
  }

  void place_boxes(std::size_t depth, std::uint32_t group, double x, double y) {
    const auto found = children_.find({depth, group});
    if (is_leaf(depth) || found == children_.end()) return;
    const std::vector<std::uint32_t>& boxes = found->second;
    const std::size_t in_row = boxes_per_row(depth, boxes.size());
    const Size one = size_of(depth + 1, boxes.front());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      // Down the columns inside; side by side outside.
      const std::size_t column = depth == 0 ? i % in_row : i / rows(boxes.size(), in_row);
      const std::size_t row = depth == 0 ? i / in_row : i % rows(boxes.size(), in_row);
      place(depth + 1, boxes[i], x + static_cast<double>(column) * (one.width + kGap),
            y + static_cast<double>(row) * (one.height + kGap));
    }
  }

  [[nodiscard]] double middle_of_neighbours(NodeId node) const {
    double sum = 0;
    double count = 0;
    for (const LinkId link : fabric_.out_links(node)) {
      const Spot& spot = picture_.spots[index(fabric_.link(link).to)];
      if (!spot.drawn) continue;
      sum += spot.x;
      ++count;
    }
    return count == 0 ? 0 : sum / count;
  }

  // Above what they join, from left to right; several rows in their order.
  void place_switches(std::size_t depth, std::uint32_t group, double x, double y) {
    std::vector<NodeId> nodes = at(switches_, {depth, group});
    const std::size_t in_row = switches_per_row(depth, group);
    std::ranges::stable_sort(nodes, {}, [this](NodeId node) { return middle_of_neighbours(node); });
    const double width =
        std::max(size_of(depth, group).width - (depth > 0 ? 2 * kGap : 0), kSwitch);
    const std::size_t used = std::min(in_row, nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const double share = (static_cast<double>(i % in_row) + 0.5) / static_cast<double>(used);
      put(nodes[i], x + width * share,
          y + (kCell + kGap) * static_cast<double>(i / in_row) + kCell / 2);
    }
  }

  [[nodiscard]] std::string label(std::size_t depth, std::uint32_t group) const {
    const auto& siblings =
        depth == 1 ? children_.at({0, 0}) : children_.at(parent_of(depth, group));
    const auto place = std::ranges::find(siblings, group) - siblings.begin();
    return fmt::format("{} {}", levels_[depth - 1]->name, place);
  }

  [[nodiscard]] Home parent_of(std::size_t depth, std::uint32_t group) const {
    for (std::uint32_t end = 0; end < fabric_.endpoints(); ++end) {
      if (levels_[depth - 1]->group_of[end] == group) {
        return {depth - 1, levels_[depth - 2]->group_of[end]};
      }
    }
    return {0, 0};
  }

  const Fabric& fabric_;
  std::vector<const Level*> levels_;  // outermost first
  std::map<Home, std::vector<std::uint32_t>> children_;
  std::map<Home, std::vector<NodeId>> switches_;
  std::map<Home, std::vector<NodeId>> others_;
  Picture picture_;
};

}  // namespace

Picture picture_of(const Fabric& fabric) { return Drawing(fabric).draw(); }

}  // namespace scenarios

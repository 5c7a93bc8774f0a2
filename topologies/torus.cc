// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/torus.h"

#include <fmt/core.h>

#include <array>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "sim/base/check.h"
#include "topologies/keys.h"

namespace topologies {

namespace {

using sim::FabricBuilder;
using sim::LinkId;
using sim::Parameters;

constexpr std::size_t kDimensions = 3;
constexpr std::array<const char*, kDimensions> kNames = {"x", "y", "z"};
constexpr std::uint32_t kMostWithoutLanes = 4;  // no two ways of a ring of 4 wait for each other
constexpr LinkId kNoLink{std::numeric_limits<std::uint32_t>::max()};

struct TorusShape {
  std::uint32_t domains = 1;
  std::uint32_t cores = 0;
  std::array<std::uint32_t, kDimensions> size = {1, 1, 1};
  bool wraps = true;

  [[nodiscard]] std::uint32_t chips() const { return size[0] * size[1] * size[2]; }
  [[nodiscard]] std::uint32_t stride(std::size_t dimension) const {
    std::uint32_t stride = 1;
    for (std::size_t below = 0; below < dimension; ++below) stride *= size[below];
    return stride;
  }
  [[nodiscard]] std::uint32_t at(std::uint32_t chip, std::size_t dimension) const {
    return chip / stride(dimension) % size[dimension];
  }
  // Joined end to end. Two in a row are neighbours once.
  [[nodiscard]] bool is_ring(std::size_t dimension) const { return wraps && size[dimension] > 2; }
  [[nodiscard]] bool needs_lanes(std::size_t dimension) const {
    return is_ring(dimension) && size[dimension] > kMostWithoutLanes;
  }
};

class Torus final : public ScaleUp {
 public:
  explicit Torus(const TorusShape& shape) : shape_(shape) {
    chips_.domains = shape.domains;
    chips_.per_domain = shape.chips();
    chips_.cores = shape.cores;
  }

  void draw(const Parameters& parameters, FabricBuilder& builder) {
    for (std::uint32_t chip = 0; chip < chips_.count(); ++chip) {
      add_chip(parameters.time("chip.forwarding_latency"), builder);
    }
    for (std::size_t dimension = 0; dimension < kDimensions; ++dimension) {
      add_dimension(dimension, parameters, builder);
    }
    add_endpoints(parameters, parameters.bytes("link.buffer"), builder);
    add_level("chip", builder, [](std::uint32_t chip) { return chip; });
    const std::uint32_t layer = shape_.size[0] * shape_.size[1];
    if (shape_.size[2] > 1 && layer > 1) {
      add_level("layer", builder, [layer](std::uint32_t chip) { return chip / layer; });
    }
    if (shape_.domains > 1) {
      add_level("server", builder, [this](std::uint32_t chip) { return chips_.domain_of(chip); });
    }
  }

  std::string place(std::uint32_t chip) const override {
    std::string text = server_prefix(chips_.domain_of(chip));
    for (std::size_t dimension = 0; dimension < kDimensions; ++dimension) {
      if (shape_.size[dimension] == 1 && dimension > 0) continue;
      text += fmt::format("{}{} {}", dimension == 0 ? "" : ", ", kNames[dimension],
                          shape_.at(chip, dimension));
    }
    return text;
  }

  std::uint8_t lanes() const override {
    std::uint8_t lanes = 1;
    for (std::size_t dimension = 0; dimension < kDimensions; ++dimension) {
      if (shape_.needs_lanes(dimension)) lanes = static_cast<std::uint8_t>(lanes * 2);
    }
    return lanes;
  }

 private:
  struct Step {
    bool up = true;
    std::uint32_t hops = 0;
  };

  // Links of a dimension: up_ from each chip to its next, down_ from each chip to the one before.
  void add_dimension(std::size_t dimension, const Parameters& parameters, FabricBuilder& builder) {
    const std::uint32_t size = shape_.size[dimension];
    up_[dimension].assign(chips_.count(), kNoLink);
    down_[dimension].assign(chips_.count(), kNoLink);
    if (size == 1) return;
    const std::string name = kNames[dimension];
    const sim::ClassId kind = add_link_class(name + " link", parameters, builder);
    for (std::uint32_t chip = 0; chip < chips_.count(); ++chip) {
      if (shape_.at(chip, dimension) + 1 == size && !shape_.is_ring(dimension)) continue;
      const std::uint32_t next = next_of(chip, dimension, true);
      const LinkId link = builder.connect(chips_.nodes[chip], chips_.nodes[next], kind,
                                          parameters.bandwidth("torus." + name + ".bandwidth"),
                                          parameters.time("torus." + name + ".wire_latency"));
      up_[dimension][chip] = link;
      down_[dimension][next] = reverse(link);
    }
  }

  std::uint32_t next_of(std::uint32_t chip, std::size_t dimension, bool up) const {
    const std::uint32_t size = shape_.size[dimension];
    const std::uint32_t stride = shape_.stride(dimension);
    const std::uint32_t at = shape_.at(chip, dimension);
    const std::uint32_t next = up ? (at + 1) % size : (at + size - 1) % size;
    return chip - at * stride + next * stride;
  }

  Step step_of(std::uint32_t from, std::uint32_t to, std::size_t dimension) const {
    const std::uint32_t size = shape_.size[dimension];
    const std::uint32_t a = shape_.at(from, dimension);
    const std::uint32_t b = shape_.at(to, dimension);
    if (!shape_.is_ring(dimension)) return {b >= a, b >= a ? b - a : a - b};
    const std::uint32_t above = (b + size - a) % size;
    const std::uint32_t below = size - above;
    if (above == 0) return {true, 0};
    if (above == below) return {a % 2 == 0, above};
    return above < below ? Step{true, above} : Step{false, below};
  }

  void append_way(std::uint32_t from, std::uint32_t to, std::vector<LinkId>& links) const override {
    std::uint32_t at = from;
    for (std::size_t dimension = 0; dimension < kDimensions; ++dimension) {
      const Step step = step_of(from, to, dimension);
      for (std::uint32_t hop = 0; hop < step.hops; ++hop) {
        links.push_back((step.up ? up_ : down_)[dimension][at]);
        at = next_of(at, dimension, step.up);
      }
    }
  }

  std::uint8_t way_lane(std::uint32_t from, std::uint32_t to) const override {
    std::uint8_t lane = 0;
    for (std::size_t dimension = 0; dimension < kDimensions; ++dimension) {
      if (!shape_.needs_lanes(dimension)) continue;
      const Step step = step_of(from, to, dimension);
      const std::uint32_t at = shape_.at(from, dimension);
      const bool crosses = step.up ? at + step.hops >= shape_.size[dimension] : at < step.hops;
      lane = static_cast<std::uint8_t>(lane * 2 + (crosses ? 1 : 0));
    }
    return lane;
  }

  TorusShape shape_;
  std::array<std::vector<LinkId>, kDimensions> up_;
  std::array<std::vector<LinkId>, kDimensions> down_;
};

std::vector<sim::Key> shape_keys() {
  std::vector<sim::Key> keys;
  for (const std::string name : kNames) {
    keys.push_back(count_key("torus." + name, {1, 64}, "chips along " + name));
    keys.push_back(bandwidth_key("torus." + name + ".bandwidth",
                                 "between neighbours along " + name + ", per direction"));
    keys.push_back(
        time_key("torus." + name + ".wire_latency", "wire between neighbours along " + name));
  }
  keys.push_back(choice_key("torus.ends", {"joined", "open"},
                            "whether each row of more than two is joined end to end"));
  keys.push_back(
      time_key("chip.forwarding_latency", "through a chip that relays traffic of others"));
  return keys;
}

}  // namespace

std::vector<sim::Key> torus_keys() {
  std::vector<sim::Key> keys = shape_keys();
  for (sim::Key& key : packet_keys()) keys.push_back(std::move(key));
  for (sim::Key& key : core_keys()) keys.push_back(std::move(key));
  return keys;
}

sim::Result<std::unique_ptr<const ScaleUp>> draw_torus(const Parameters& parameters,
                                                       std::int64_t domains,
                                                       FabricBuilder& builder) {
  if (auto fault = fault_in_family(parameters, torus_keys())) return *fault;
  TorusShape shape;
  shape.domains = static_cast<std::uint32_t>(domains);
  shape.cores = on_chip(parameters).ends;
  shape.wraps = parameters.text("torus.ends") == "joined";
  for (std::size_t dimension = 0; dimension < kDimensions; ++dimension) {
    shape.size[dimension] =
        static_cast<std::uint32_t>(parameters.count(std::string("torus.") + kNames[dimension]));
  }
  const std::int64_t cores = shape.cores == 0 ? 1 : shape.cores;
  if (auto fault = fault_in_size(domains * shape.chips() * cores)) return *fault;
  auto torus = std::make_unique<Torus>(shape);
  torus->draw(parameters, builder);
  return std::unique_ptr<const ScaleUp>(std::move(torus));
}

}  // namespace topologies

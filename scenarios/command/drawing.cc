// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

#include "scenarios/command/picture.h"
#include "sim/base/quantity.h"

namespace scenarios {
namespace {

using sim::Fabric;
using sim::Link;
using sim::LinkId;
using sim::NodeKind;

constexpr std::size_t kMostNodes = 6'000;  // of a picture
constexpr std::size_t kMostDotNodes = 1'000'000;
constexpr std::array<std::string_view, 8> kColours = {"#1f77b4", "#2ca02c", "#d62728", "#9467bd",
                                                      "#8c564b", "#e377c2", "#17becf", "#bcbd22"};
constexpr std::string_view kDead = "#ff0000";
constexpr double kTitle = 26;
constexpr double kLine = 16;

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += c;
  }
  return safe;
}

// "plane 2" of "rack switch(rack 0, plane 2)"; "spine 3" as it is.
std::string short_name(const std::string& name) {
  const std::size_t open = name.find('(');
  if (open == std::string::npos) return name.substr(0, name.find(','));
  const std::size_t comma = name.rfind(", ");
  const std::size_t start = comma == std::string::npos ? open + 1 : comma + 2;
  return name.substr(start, name.size() - start - 1);
}

std::string last_number(const std::string& name) {
  const std::size_t end = name.find_last_of("0123456789");
  if (end == std::string::npos) return {};
  std::size_t start = end;
  while (start > 0 && name[start - 1] >= '0' && name[start - 1] <= '9') --start;
  return name.substr(start, end - start + 1);
}

std::string colour_of(const Fabric& fabric, LinkId link) {
  if (fabric.dead(link)) return std::string(kDead);
  return std::string(kColours[index(fabric.link(link).kind) % kColours.size()]);
}

// Straight between neighbours and along rows and columns of switches; links of chips that stand
// apart bend, so that those in one row can be told apart.
std::string line_svg(const Fabric& fabric, LinkId id, const Spot& a, const Spot& b) {
  const Link& link = fabric.link(id);
  const bool chips = fabric.node(link.from).kind == NodeKind::kChip &&
                     fabric.node(link.to).kind == NodeKind::kChip;
  const double length = std::hypot(b.x - a.x, b.y - a.y);
  const double bend = chips && length > 45 ? std::min(8 + 0.06 * length, 40.0) : 0;
  const double x = (a.x + b.x) / 2 + (b.y - a.y) / std::max(length, 1.0) * bend;
  const double y = (a.y + b.y) / 2 - (b.x - a.x) / std::max(length, 1.0) * bend;
  return fmt::format(
      "<path d=\"M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}\" stroke=\"{}\"{}><title>{}, "
      "{}</title></path>\n",
      a.x, a.y, x, y, b.x, b.y, colour_of(fabric, id),
      fabric.dead(id) ? " stroke-dasharray=\"4 3\" stroke-width=\"2\"" : "",
      escaped(fabric.describe(id)),
      fabric.dead(id) ? "dead" : to_text(link.bandwidth.value, sim::Dimension::kBandwidth));
}

std::string node_svg(const sim::Node& node, const Spot& spot) {
  const bool wide = node.kind == NodeKind::kSwitch;
  const double width = wide ? 43 : node.kind == NodeKind::kNic ? 14 : 20;
  const double height = wide ? 18 : node.kind == NodeKind::kNic ? 14 : 20;
  const std::string_view fill = wide                          ? "#ffe9b8"
                                : node.kind == NodeKind::kNic ? "#d5f0d5"
                                                              : "#dbe8fb";
  return fmt::format(
      "<g><title>{0}</title><rect x=\"{1:.1f}\" y=\"{2:.1f}\" width=\"{3}\" height=\"{4}\" "
      "rx=\"{5}\" fill=\"{6}\" stroke=\"#444\"/><text x=\"{7:.1f}\" y=\"{8:.1f}\" "
      "text-anchor=\"middle\" font-size=\"9\">{9}</text></g>\n",
      escaped(node.name), spot.x - width / 2, spot.y - height / 2, width, height,
      node.kind == NodeKind::kNic ? 7 : 3, fill, spot.x, spot.y + 3,
      escaped(wide ? short_name(node.name) : last_number(node.name)));
}

std::string box_svg(const Box& box) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"5\" "
      "fill=\"#000\" fill-opacity=\"0.03\" stroke=\"#bbb\"/><text x=\"{:.1f}\" y=\"{:.1f}\" "
      "font-size=\"10\" fill=\"#555\">{}</text>\n",
      box.x, box.y, box.width, box.height, box.x + 5, box.y + 11, escaped(box.label));
}

std::string legend_svg(const Fabric& fabric, double y) {
  std::vector<std::size_t> links(fabric.classes().size(), 0);
  std::vector<std::int64_t> rates(links.size(), 0);
  for (const Link& link : fabric.links()) {
    ++links[index(link.kind)];
    rates[index(link.kind)] = std::max(rates[index(link.kind)], link.bandwidth.value);
  }
  std::string text;
  for (std::size_t kind = 0; kind < links.size(); ++kind) {
    if (links[kind] == 0 || fabric.classes()[kind].name == "core link") continue;
    text += fmt::format(
        "<path d=\"M10 {0:.1f}h24\" stroke=\"{1}\" stroke-width=\"3\"/><text x=\"40\" "
        "y=\"{2:.1f}\" font-size=\"11\">{3}: {4} both ways, {5} each way</text>\n",
        y - 4, kColours[kind % kColours.size()], y, escaped(fabric.classes()[kind].name),
        links[kind] / 2, to_text(rates[kind], sim::Dimension::kBandwidth));
    y += kLine;
  }
  return text;
}

// Kind, and shape for the eye.
std::string_view kind_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::kSwitch:
      return "kind=switch, shape=ellipse";
    case NodeKind::kNic:
      return "kind=nic, shape=diamond";
    case NodeKind::kCore:
      return "kind=core, shape=box";
    case NodeKind::kChip:
      return "kind=chip, shape=box";
  }
  return "";
}

std::string dot_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

// By node: "server 3" of a chip, "" where the fabric has no servers or racks.
std::vector<std::string> servers_of(const Fabric& fabric) {
  std::vector<std::string> servers(fabric.nodes().size());
  const sim::Level* level = fabric.level("server");
  for (std::uint32_t end = 0; level != nullptr && end < fabric.endpoints(); ++end) {
    servers[index(fabric.node_of(sim::EndpointId{end}))] =
        fmt::format("server {}", level->group_of[end]);
  }
  return servers;
}

std::string dot_node(const sim::Node& node, const std::string& server) {
  const bool whole = node.forwarding == sim::Forwarding::kStoreAndForward;
  return fmt::format("  {} [{}, latency={}, forwarding={}{}];\n", dot_quoted(node.name),
                     kind_of(node.kind),
                     dot_quoted(to_text(node.latency.value, sim::Dimension::kTime)),
                     whole ? "store_and_forward" : "cut_through",
                     server.empty() ? "" : ", server=" + dot_quoted(server));
}

sim::Failure too_large(std::size_t nodes, std::size_t most) {
  return {fmt::format("a drawing of {} nodes could not be read", nodes),
          fmt::format("at most {} nodes: fewer servers, or overrides in a scenario file", most)};
}

}  // namespace

sim::Result<std::string> to_svg(const Fabric& fabric, const std::string& title) {
  if (fabric.nodes().size() > kMostNodes) return too_large(fabric.nodes().size(), kMostNodes);
  const Picture picture = picture_of(fabric);
  const double below = picture.height + kTitle + kLine;
  const double height = below + kLine * static_cast<double>(fabric.classes().size());
  const double width = std::max(picture.width, 480.0);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"#fff\"/>\n<text x=\"10\" y=\"18\" font-size=\"14\">{2}</text>\n"
      "<g transform=\"translate(0 {3})\">\n",
      width, height, escaped(title), kTitle);
  for (const Box& box : picture.boxes) svg += box_svg(box);
  svg += "<g fill=\"none\" stroke-opacity=\"0.55\">\n";
  for (std::uint32_t id = 0; id < fabric.links().size(); ++id) {
    const Link& link = fabric.links()[id];
    const Spot& a = picture.spots[index(link.from)];
    const Spot& b = picture.spots[index(link.to)];
    if (link.from < link.to && a.drawn && b.drawn) svg += line_svg(fabric, LinkId{id}, a, b);
  }
  svg += "</g>\n";
  for (std::uint32_t node = 0; node < fabric.nodes().size(); ++node) {
    if (picture.spots[node].drawn) svg += node_svg(fabric.nodes()[node], picture.spots[node]);
  }
  return svg + "</g>\n" + legend_svg(fabric, below + 6) + "</svg>\n";
}

sim::Result<std::string> to_dot(const Fabric& fabric, const std::string& title) {
  if (fabric.nodes().size() > kMostDotNodes) return too_large(fabric.nodes().size(), kMostDotNodes);
  std::string dot = fmt::format("graph {} {{\n", dot_quoted(title));
  const std::vector<std::string> servers = servers_of(fabric);
  for (std::uint32_t node = 0; node < fabric.nodes().size(); ++node) {
    dot += dot_node(fabric.nodes()[node], servers[node]);
  }
  for (std::uint32_t id = 0; id < fabric.links().size(); ++id) {
    const Link& link = fabric.links()[id];
    if (link.to < link.from) continue;
    dot +=
        fmt::format("  {} -- {} [kind={}, bandwidth={}, latency={}{}];\n",
                    dot_quoted(fabric.node(link.from).name), dot_quoted(fabric.node(link.to).name),
                    dot_quoted(fabric.kind(LinkId{id}).name),
                    dot_quoted(to_text(link.bandwidth.value, sim::Dimension::kBandwidth)),
                    dot_quoted(to_text(link.latency.value, sim::Dimension::kTime)),
                    fabric.dead(LinkId{id}) ? ", dead=true, style=dashed" : "");
  }
  return dot + "}\n";
}

}  // namespace scenarios

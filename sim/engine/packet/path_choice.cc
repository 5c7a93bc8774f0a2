// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/path_choice.h"

#include <algorithm>

#include "sim/engine/packet/chance.h"

namespace sim::packet {

namespace {

constexpr std::uint32_t kGuesses = 32;  // before all paths are looked at

}  // namespace

void PathChoice::goes_down(LinkId link, std::int64_t from, std::int64_t to) {
  if (reroute_time_ == kNever || to - reroute_time_ <= from) return;  // over before it is known
  const auto add = [&](std::int64_t time, bool down) {
    if (time > kNever - reroute_time_) return;
    const Change change{time + reroute_time_, link, down};
    const auto later =
        std::upper_bound(changes_.begin(), changes_.end(), change,
                         [](const Change& a, const Change& b) { return a.time < b.time; });
    changes_.insert(later, change);
  };
  add(from, true);
  add(to, false);
}

std::uint16_t PathChoice::follow(std::int64_t now) {
  down_.resize(topology_.fabric->links().size(), 0);
  for (; next_ < changes_.size() && changes_[next_].time <= now; ++next_) {
    const Change& change = changes_[next_];
    std::uint8_t& count = down_[index(change.link)];
    if (change.down && count++ == 0) ++links_down_;
    if (!change.down && --count == 0) --links_down_;
  }
  return ++epoch_;
}

void PathChoice::take_one_nic(ReliableWay& way, std::uint32_t transfer) {
  const auto nics_of = [&](std::uint32_t path) {
    const std::vector<LinkId>& links = ways_.path(way.from, way.to, path);
    const Ways::Part part = ways_.lossy_part(links);
    return std::pair{index(topology_.fabric->link(links[part.first]).from),
                     index(topology_.fabric->link(links[part.end - 1]).to)};
  };
  const auto [from, to] = nics_of(transfer % way.paths);
  way.one_nic = nics_of(way.paths - 1) != nics_of(0);
  if (!way.one_nic) return;
  way.from_nic = from;
  way.to_nic = to;
}

bool PathChoice::works(const std::vector<LinkId>& links) const {
  return links_down_ == 0 ||
         std::ranges::none_of(links, [this](LinkId link) { return down_[index(link)] > 0; });
}

bool PathChoice::fits(const ReliableWay& way, std::uint32_t path) {
  const std::vector<LinkId>& links = ways_.path(way.from, way.to, path);
  if (!works(links)) return false;
  if (way.one_nic) {
    const Ways::Part part = ways_.lossy_part(links);
    if (index(topology_.fabric->link(links[part.first]).from) != way.from_nic ||
        index(topology_.fabric->link(links[part.end - 1]).to) != way.to_nic) {
      return false;
    }
  }
  return links_down_ == 0 || works(ways_.path(way.to, way.from, path));
}

// A path that does not fit is replaced by one at random that does, so that those that are left
// share its packets. Where none fits there is nothing better than the path itself.
std::uint32_t PathChoice::choose(const ReliableWay& way, std::uint32_t number) {
  const std::uint32_t own = (way.start + number) % way.paths;
  if ((links_down_ == 0 && !way.one_nic) || fits(way, own)) return own;
  for (std::uint32_t guess = 1; guess <= kGuesses; ++guess) {
    const auto other = static_cast<std::uint32_t>(mixed(own, number, guess) % way.paths);
    if (fits(way, other)) return other;
  }
  for (std::uint32_t step = 1; step < way.paths; ++step) {
    if (fits(way, (own + step) % way.paths)) return (own + step) % way.paths;
  }
  return own;
}

}  // namespace sim::packet

// SPDX-License-Identifier: GPL-2.0-only
// Deadlock of credits, found while other traffic still moves. A lane is stuck for good when it
// waits for a buffer whose every byte is held by packets queued in lanes that are stuck for good:
// then nobody can ever give credit back. The largest such set is what is left when lanes are taken
// out for which somebody still can; it is empty unless there is a ring of waits, and a ring is
// found by going from any of its lanes to one that holds what it waits for.
#include <algorithm>

#include "sim/engine/packet/ports.h"

namespace sim::packet {

// Bytes of each receiving buffer that packets queued in `lane_number` hold.
void Ports::add_held(std::uint32_t lane_number, std::vector<std::int64_t>& held) const {
  const auto look = [&](std::uint32_t packet) {
    for (; packet != kNone; packet = packets_.data()[packet].next) {
      const Packet& p = packets_.data()[packet];
      if (p.held != kNone) held[p.held] += p.payload + ports_[p.held >> lane_shift_].header;
    }
  };
  if (lanes_[lane_number].head == kNone) return;
  if (!ports_[lane_number >> lane_shift_].round_robin) return look(lanes_[lane_number].head);
  const std::uint32_t end = lane_number + 1 < first_input_.size()
                                ? first_input_[lane_number + 1]
                                : static_cast<std::uint32_t>(inputs_.size());
  for (std::uint32_t i = first_input_[lane_number]; i < end; ++i) look(inputs_[i].head);
}

// Takes lanes out of `stuck` until for each that is left all of the buffer it waits for is held by
// packets queued in lanes that are left.
void Ports::keep_stuck(std::vector<bool>& stuck) const {
  std::vector<std::int64_t> held(lanes_.size());
  for (bool changed = true; changed;) {
    changed = false;
    std::fill(held.begin(), held.end(), 0);
    for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) {
      if (stuck[lane]) add_held(lane, held);
    }
    for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) {
      if (!stuck[lane]) continue;
      if (held[lane] + lanes_[lane].credits >= buffer_[lane >> lane_shift_]) continue;
      stuck[lane] = false;
      changed = true;
    }
  }
}

// What has not moved since the last look may be stuck; what moves is not. So traffic that is only
// short of credits costs one pass over the lanes.
bool Ports::deadlocked() {
  watched_head_.resize(lanes_.size(), kMoving);
  std::vector<bool> stuck(lanes_.size(), false);
  bool any = false;
  for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) {
    const std::uint32_t head = lanes_[lane].blocked ? lanes_[lane].head : kMoving;
    stuck[lane] = head != kMoving && head == watched_head_[lane];
    any = any || stuck[lane];
    watched_head_[lane] = head;
  }
  if (!any) return false;
  keep_stuck(stuck);
  return std::find(stuck.begin(), stuck.end(), true) != stuck.end();
}

std::vector<std::uint32_t> Ports::waiting_ring() const {
  std::vector<bool> stuck(lanes_.size());
  for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) stuck[lane] = lanes_[lane].blocked;
  keep_stuck(stuck);
  const auto first = std::find(stuck.begin(), stuck.end(), true);
  if (first == stuck.end()) return {};
  std::vector<std::uint32_t> trail = {static_cast<std::uint32_t>(first - stuck.begin())};
  for (;;) {
    const std::uint32_t lane = trail.back();
    std::uint32_t holder = kNone;
    for (std::uint32_t other = 0; other < lanes_.size() && holder == kNone; ++other) {
      if (!stuck[other]) continue;
      std::vector<std::int64_t> held(lanes_.size(), 0);
      add_held(other, held);
      if (held[lane] > 0) holder = other;
    }
    CHECK(holder != kNone);  // somebody holds what it waits for
    const auto met = std::ranges::find(trail, holder);
    if (met == trail.end()) {
      trail.push_back(holder);
      continue;
    }
    std::vector<std::uint32_t> ring;
    for (auto it = met; it != trail.end(); ++it) ring.push_back(*it >> lane_shift_);
    return ring;
  }
}

}  // namespace sim::packet

// SPDX-License-Identifier: GPL-2.0-only
// Direct (Neuron's Mesh): every member sends to every other at once. The i-th peer of each member
// lies at one distance, so the i-th sends form a rotation and no member is everybody's first. The
// distances go round in golden-section strides (Knuth vol. 3, 6.4, theorem S): any few peers in a
// row are spread evenly over the group, near and far, so that links shared by neighbours in rank
// order are neither idle for a while nor asked for by all at once. All-reduce is two-step:
// reduce-scatter, then all-gather. n - 1 sends a phase, one step each, any number of ranks.
#include <bit>
#include <numeric>

#include "collectives/flat.h"

namespace collectives {
namespace {

// The number nearest above n / golden ratio that shares no factor with n: its multiples visit all.
sim::Rank golden_stride(sim::Rank n) {
  auto stride = static_cast<sim::Rank>(static_cast<std::uint64_t>(n) * 618'034 / 1'000'000);
  if (stride == 0) stride = 1;
  while (std::gcd(stride, n) != 1) ++stride;
  return stride;
}

// Calls visit(distance) for 1 .. n-1, in the order in which a member sends.
template <class Visit>
void for_each_distance(sim::Rank n, Visit visit) {
  const std::uint64_t stride = golden_stride(n);
  for (std::uint64_t i = 1; i < n; ++i) visit(static_cast<sim::Rank>(i * stride % n));
}

// The arrival from the member `distance` before takes slot `slot + distance - 1`, and is merged in
// its turn of the order in which all send, which is the order in which arrivals come.
std::uint32_t direct_reduce_scatter(const Phase& phase) {
  const Group& group = phase.group;
  for_each_distance(group.size, [&](sim::Rank d) {
    const sim::Rank peer = group.after(group.me, d);
    phase.planner.send_to_reduce(group.rank(peer), phase.parts.part(peer), phase.slot + d - 1);
  });
  const sim::Blocks mine = phase.parts.part(group.me);
  for_each_distance(
      group.size, [&](sim::Rank d) { phase.planner.receive_and_reduce(mine, phase.slot + d - 1); });
  return phase.slot + group.size - 1;
}

std::uint32_t direct_all_gather(const Phase& phase) {
  const Group& group = phase.group;
  const sim::Blocks mine = phase.parts.part(group.me);
  for_each_distance(group.size, [&](sim::Rank d) {
    const sim::Rank peer = group.after(group.me, d);
    phase.planner.send(group.rank(peer), mine, mine.first, phase.slot + d - 1);
  });
  for (sim::Rank d = 1; d < group.size; ++d) {
    phase.planner.receive(phase.parts.part(group.before(group.me, d)), phase.slot + d - 1);
  }
  return phase.slot + group.size - 1;
}

std::uint32_t direct_all_reduce(const Phase& phase) {
  const std::uint32_t slot = direct_reduce_scatter(phase);
  return direct_all_gather({phase.planner, phase.group, phase.parts, slot});
}

// Everybody sends all it has to everybody, and merges all that comes: n times the bytes, one step.
// In place, so merging begins when the rank's own sends have been read to their ends.
std::uint32_t one_shot_all_reduce(const Phase& phase) {
  const Group& group = phase.group;
  const sim::Blocks all = phase.parts.range(0, phase.count);
  for_each_distance(group.size, [&](sim::Rank d) {
    phase.planner.send_to_reduce(group.rank(group.after(group.me, d)), all, phase.slot + d - 1);
  });
  for_each_distance(
      group.size, [&](sim::Rank d) { phase.planner.receive_and_reduce(all, phase.slot + d - 1); });
  return phase.slot + group.size - 1;
}

// Holds a send back until the one `window` sends before it has ended.
class Window {
 public:
  Window(sim::Planner& planner, std::uint32_t size) : planner_(planner), size_(size) {}

  template <class Send>
  void send(Send send_one) {
    if (size_ > 0 && sent_.size() >= size_) {
      planner_.after(sent_[sent_.size() - size_]);
    }
    const std::uint32_t number = planner_.ops();
    send_one();
    if (planner_.ops() > number) sent_.push_back(number);
  }

 private:
  sim::Planner& planner_;
  std::uint32_t size_;
  std::vector<std::uint32_t> sent_;
};

std::uint32_t direct_all_to_all(const Exchange& exchange) {
  const Group& group = exchange.group;
  Window window(exchange.planner, exchange.window);
  for_each_distance(group.size, [&](sim::Rank d) {
    const sim::Rank peer = group.after(group.me, d);
    window.send([&] {
      exchange.planner.send(group.rank(peer), exchange.from.part(peer), exchange.target(peer),
                            exchange.slot + d - 1);
    });
  });
  exchange.planner.copy(exchange.to.part(group.me), exchange.from.part(group.me).first);
  for (sim::Rank d = 1; d < group.size; ++d) {
    exchange.planner.receive(exchange.to.part(group.before(group.me, d)), exchange.slot + d - 1);
  }
  return exchange.slot + group.size - 1;
}

// Pairwise: step s with the member whose number differs by XOR s where the size is a power of two
// (both ends then meet in the same step), else to the one s after and from the one s before. One
// peer at a time, or `window`.
template <class Visit>
void for_each_step(const Group& group, Visit visit) {
  const bool meets = std::has_single_bit(group.size);
  for (sim::Rank s = 1; s < group.size; ++s) {
    const sim::Rank to = meets ? group.me ^ s : group.after(group.me, s);
    visit(s, to, meets ? to : group.before(group.me, s));
  }
}

std::uint32_t pairwise_all_to_all(const Exchange& exchange) {
  const Group& group = exchange.group;
  Window window(exchange.planner, exchange.window == 0 ? 1 : exchange.window);
  for_each_step(group, [&](sim::Rank s, sim::Rank to, sim::Rank from) {
    const std::uint32_t slot = exchange.slot + s - 1;
    window.send([&] {
      exchange.planner.send(group.rank(to), exchange.from.part(to), exchange.target(to), slot);
    });
    exchange.planner.receive(exchange.to.part(from), slot);
  });
  exchange.planner.copy(exchange.to.part(group.me), exchange.from.part(group.me).first);
  return exchange.slot + group.size - 1;
}

std::vector<sim::Key> windowed() { return {window_key()}; }

}  // namespace

constinit const Flat kDirect = {
    .name = "direct",
    .summary =
        "every rank to every other at once (Neuron's Mesh), by rotations; any number of ranks",
    .keys = windowed,
    .tensor_parts = [](sim::Rank size, const Options&) -> std::uint32_t { return size; },
    .reduce_scatter = direct_reduce_scatter,
    .all_gather = direct_all_gather,
    .all_reduce = direct_all_reduce,
    .all_to_all = direct_all_to_all,
    .all_to_all_v = direct_all_to_all,
};

constinit const Flat kOneShot = {
    .name = "one_shot",
    .summary = "all_reduce in one step (single-step Mesh): every rank sends all it has to all",
    .all_reduce = one_shot_all_reduce,
};

constinit const Flat kPairwise = {
    .name = "pairwise",
    .summary =
        "all_to_all and all_to_all_v with one peer at a time, by XOR where ranks are a power of "
        "two",
    .keys = windowed,
    .all_to_all = pairwise_all_to_all,
    .all_to_all_v = pairwise_all_to_all,
};

}  // namespace collectives

// SPDX-License-Identifier: GPL-2.0-only
#include "tests/oracles/alpha_beta.h"

#include <fmt/format.h>

#include <algorithm>

namespace oracle {
namespace {

using Times = std::vector<std::int64_t>;

// Wire times of the packets of a transfer, in order.
Times packets(const Star& star, std::int64_t bytes) {
  Times times;
  for (std::int64_t left = bytes; left > 0; left -= star.packet) {
    times.push_back(duration(std::min(left, star.packet) + star.header, star.bandwidth));
  }
  return times;
}

std::int64_t sum(const Times& times) {
  std::int64_t all = 0;
  for (const std::int64_t time : times) all += time;
  return all;
}

std::int64_t reduction(const Star& star, std::int64_t bytes) {
  return star.reduce_rate == 0 ? 0 : duration(bytes, star.reduce_rate);
}

// Everything but the packets: end costs, wires, switch.
std::int64_t alpha(const Star& star) {
  return star.per_transfer + 2 * star.memory + 2 * star.wire + star.switch_latency;
}

// Where part p of `parts` equal parts begins.
std::int64_t edge(std::int64_t bytes, std::int64_t parts, std::int64_t p) {
  return bytes * p / parts;
}

// A part goes once round the ring, n - 1 transfers, each followed by a reduction or not; the
// slowest part decides. No two parts meet: each rank's arrivals are a whole latency apart.
std::int64_t round_trip(const Star& star, std::int64_t n, std::int64_t bytes, int reducing,
                        int gathering) {
  std::int64_t longest = 0;
  for (std::int64_t p = 0; p < n; ++p) {
    const std::int64_t part = edge(bytes, n, p + 1) - edge(bytes, n, p);
    if (part == 0) continue;
    const std::int64_t step = transfer(star, part);
    longest =
        std::max(longest, (n - 1) * (reducing * (step + reduction(star, part)) + gathering * step));
  }
  return star.launch + longest;
}

// Halving: over bit b, ranks whose numbers differ in it exchange 2^b parts and merge what comes.
void halve(const Star& star, std::int64_t n, std::int64_t bytes, Times& ready) {
  for (std::int64_t half = n / 2; half >= 1; half /= 2) {
    Times next;
    for (std::int64_t r = 0; r < n; ++r) {
      const std::int64_t first = r / half * half;
      const std::int64_t kept = edge(bytes, n, first + half) - edge(bytes, n, first);
      const std::int64_t in = ready[static_cast<std::size_t>(r ^ half)] + transfer(star, kept);
      next.push_back(std::max(in, ready[static_cast<std::size_t>(r)]) + reduction(star, kept));
    }
    ready = next;
  }
}

// Doubling: the way back, without merging.
void double_up(const Star& star, std::int64_t n, std::int64_t bytes, Times& ready) {
  for (std::int64_t half = 1; half < n; half *= 2) {
    Times next;
    for (std::int64_t r = 0; r < n; ++r) {
      const std::int64_t first = (r ^ half) / half * half;
      const std::int64_t came = edge(bytes, n, first + half) - edge(bytes, n, first);
      const std::int64_t in = ready[static_cast<std::size_t>(r ^ half)] + transfer(star, came);
      next.push_back(std::max(in, ready[static_cast<std::size_t>(r)]));
    }
    ready = next;
  }
}

Times launched(const Star& star, std::int64_t n) {
  return Times(static_cast<std::size_t>(n), star.launch);
}

std::int64_t last(const Times& times) { return *std::max_element(times.begin(), times.end()); }

}  // namespace

std::string Star::overrides(std::int64_t ends) const {
  const auto rate = [](std::int64_t value) {
    return value == 0 ? std::string("unlimited") : fmt::format("{} B/s", value);
  };
  return fmt::format(
      "    ends: {}\n    link.bandwidth: {} B/s\n    link.latency: {} ps\n"
      "    switch.latency: {} ps\n    packet.size: {} B\n    link.header: {} B\n"
      "    switch.forwarding: {}\n    collective.launch: {} ps\n    endpoint.per_transfer: {} ps\n"
      "    endpoint.issue_gap: {} ps\n    endpoint.memory_latency: {} ps\n"
      "    endpoint.reduce_rate: {}\n    endpoint.copy_rate: {}\n",
      ends, bandwidth, wire, switch_latency, packet, header,
      cut_through ? "cut_through" : "store_and_forward", launch, per_transfer, issue_gap, memory,
      rate(reduce_rate), rate(copy_rate));
}

std::int64_t duration(std::int64_t bytes, std::int64_t rate) {
  const __int128 scaled = static_cast<__int128>(bytes) * 1'000'000'000'000;
  return static_cast<std::int64_t>((scaled + rate - 1) / rate);
}

// Through a switch that stores and forwards, the packets need their own time once more for the
// largest of them.
std::int64_t transfer(const Star& star, std::int64_t bytes) {
  const Times times = packets(star, bytes);
  return alpha(star) + sum(times) + (star.cut_through ? 0 : last(times));
}

Times rotation(const Star& star, std::int64_t transfers, std::int64_t bytes) {
  Times in_memory;
  std::int64_t up = 0;    // when the link to the switch is free
  std::int64_t down = 0;  // when the switch's link is: each target hears one sender at a time
  for (std::int64_t d = 0; d < transfers; ++d) {
    const std::int64_t issued = d * star.issue_gap + star.per_transfer + star.memory;
    for (const std::int64_t wire_time : packets(star, bytes)) {
      const std::int64_t begin = std::max(issued, up);
      up = begin + wire_time;
      const std::int64_t here = (star.cut_through ? begin : up) + star.wire + star.switch_latency;
      down = std::max(here, down) + wire_time;
    }
    in_memory.push_back(down + star.wire + star.memory);
  }
  return in_memory;
}

std::int64_t ring_reduce_scatter(const Star& star, std::int64_t n, std::int64_t bytes) {
  return round_trip(star, n, bytes, 1, 0);
}
std::int64_t ring_all_gather(const Star& star, std::int64_t n, std::int64_t bytes) {
  return round_trip(star, n, bytes, 0, 1);
}
std::int64_t ring_all_reduce(const Star& star, std::int64_t n, std::int64_t bytes) {
  return round_trip(star, n, bytes, 1, 1);
}

std::int64_t recursive_reduce_scatter(const Star& star, std::int64_t n, std::int64_t bytes) {
  Times ready = launched(star, n);
  halve(star, n, bytes, ready);
  return last(ready);
}
std::int64_t recursive_all_gather(const Star& star, std::int64_t n, std::int64_t bytes) {
  Times ready = launched(star, n);
  double_up(star, n, bytes, ready);
  return last(ready);
}
std::int64_t recursive_all_reduce(const Star& star, std::int64_t n, std::int64_t bytes) {
  Times ready = launched(star, n);
  halve(star, n, bytes, ready);
  double_up(star, n, bytes, ready);
  return last(ready);
}

// The i-th transfer comes from the rank i strides before; what is there is merged one after
// another, as it comes.
std::int64_t direct_reduce_scatter(const Star& star, std::int64_t n, std::int64_t bytes) {
  std::int64_t merged = 0;
  for (const std::int64_t in : rotation(star, n - 1, bytes / n)) {
    merged = std::max(merged, in) + reduction(star, bytes / n);
  }
  return star.launch + merged;
}
std::int64_t one_shot_all_reduce(const Star& star, std::int64_t n, std::int64_t bytes) {
  return direct_reduce_scatter(star, n, n * bytes);  // parts as large as the tensor
}
std::int64_t pairwise_all_to_all(const Star& star, std::int64_t n, std::int64_t bytes) {
  const std::int64_t copied = star.copy_rate == 0 ? 0 : duration(bytes / n, star.copy_rate);
  return star.launch + std::max(copied, (n - 1) * transfer(star, bytes / n));
}
std::int64_t recursive_doubling(const Star& star, std::int64_t n, std::int64_t bytes) {
  return binomial_reduce(star, n, bytes);
}
std::int64_t direct_all_gather(const Star& star, std::int64_t n, std::int64_t bytes) {
  return star.launch + last(rotation(star, n - 1, bytes / n));
}
std::int64_t direct_all_reduce(const Star& star, std::int64_t n, std::int64_t bytes) {
  return direct_reduce_scatter(star, n, bytes) + last(rotation(star, n - 1, bytes / n));
}
std::int64_t direct_all_to_all(const Star& star, std::int64_t n, std::int64_t bytes) {
  const std::int64_t copied = star.copy_rate == 0 ? 0 : duration(bytes / n, star.copy_rate);
  return star.launch + std::max(copied, last(rotation(star, n - 1, bytes / n)));
}

// log2 n rounds, each of one transfer of everything: those who have it double.
std::int64_t binomial_broadcast(const Star& star, std::int64_t n, std::int64_t bytes) {
  std::int64_t rounds = 0;
  while ((std::int64_t{1} << rounds) < n) ++rounds;
  return star.launch + rounds * transfer(star, bytes);
}
std::int64_t binomial_reduce(const Star& star, std::int64_t n, std::int64_t bytes) {
  std::int64_t rounds = 0;
  while ((std::int64_t{1} << rounds) < n) ++rounds;
  return star.launch + rounds * (transfer(star, bytes) + reduction(star, bytes));
}
// Half of what is left goes each round; a gather is the same backwards.
std::int64_t binomial_scatter(const Star& star, std::int64_t n, std::int64_t bytes) {
  std::int64_t time = star.launch;
  for (std::int64_t parts = 1; parts < n; parts *= 2) time += transfer(star, bytes / n * parts);
  return time;
}
std::int64_t dissemination_barrier(const Star& star, std::int64_t n, std::int64_t bytes) {
  return binomial_reduce(star, n, bytes);
}

std::int64_t chain_broadcast(const Star& star, std::int64_t n, std::int64_t bytes) {
  return star.launch + (n - 2 + 4) * transfer(star, bytes / 4);
}
std::int64_t chain_reduce(const Star& star, std::int64_t n, std::int64_t bytes) {
  return chain_broadcast(star, n, bytes) + (n - 1) * reduction(star, bytes / 4);
}
std::int64_t chain_gather(const Star& star, std::int64_t n, std::int64_t bytes) {
  return star.launch + (n - 1) * transfer(star, bytes / n);
}

// One sender alone is as undisturbed as all in rotation.
std::int64_t direct_broadcast(const Star& star, std::int64_t n, std::int64_t bytes) {
  return star.launch + last(rotation(star, n - 1, bytes));
}
std::int64_t direct_scatter(const Star& star, std::int64_t n, std::int64_t bytes) {
  return direct_broadcast(star, n, bytes / n);
}
std::int64_t direct_gather(const Star& star, std::int64_t n, std::int64_t bytes) {
  return incast(star, n, bytes / n);
}
std::int64_t send_recv(const Star& star, std::int64_t, std::int64_t bytes) {
  return star.launch + transfer(star, bytes);
}

// The first packets of all senders are at the switch together; from then on its link never rests.
std::int64_t incast(const Star& star, std::int64_t n, std::int64_t bytes) {
  const Times times = packets(star, bytes);
  return star.launch + alpha(star) + (star.cut_through ? 0 : times.front()) + (n - 1) * sum(times);
}

}  // namespace oracle

// SPDX-License-Identifier: GPL-2.0-only
// Closed forms of collectives on a star, written from the textbook and not from the engine: a
// transfer takes its end costs, two wires and one switch (alpha) and the time of its packets on the
// wire (beta). Exact to the picosecond where no two ranks' packets meet at a port; linked by tests
// only. All times in picoseconds, all sizes in bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace oracle {

struct Star {
  std::int64_t bandwidth = 50'000'000'000;  // left for packets, bytes per second
  std::int64_t wire = 500'000;              // latency of each of the two links
  std::int64_t switch_latency = 0;
  std::int64_t packet = 4'096;
  std::int64_t header = 0;
  bool cut_through = false;

  std::int64_t launch = 0;
  std::int64_t per_transfer = 0;
  std::int64_t issue_gap = 0;
  std::int64_t memory = 0;
  std::int64_t reduce_rate = 0;  // 0: free
  std::int64_t copy_rate = 0;

  // The `overrides` of a scenario that describe this star with `ends` ends.
  [[nodiscard]] std::string overrides(std::int64_t ends) const;
};

// `bytes` at `rate`, rounded up.
[[nodiscard]] std::int64_t duration(std::int64_t bytes, std::int64_t rate);

// One transfer alone, from its op's begin to its last byte in the peer's memory.
[[nodiscard]] std::int64_t transfer(const Star& star, std::int64_t bytes);

// When each of the transfers of `bytes` that one rank starts together is in memory, counted from
// their ops' begin, if everybody does the same, rotation by rotation.
[[nodiscard]] std::vector<std::int64_t> rotation(const Star& star, std::int64_t transfers,
                                                 std::int64_t bytes);

// Times of whole collectives over n ranks; `bytes` as sim/schedule/collective.h says.
[[nodiscard]] std::int64_t ring_reduce_scatter(const Star&, std::int64_t n, std::int64_t bytes);
[[nodiscard]] std::int64_t ring_all_gather(const Star&, std::int64_t n, std::int64_t bytes);
[[nodiscard]] std::int64_t ring_all_reduce(const Star&, std::int64_t n, std::int64_t bytes);

// n a power of two, bytes >= n.
[[nodiscard]] std::int64_t recursive_reduce_scatter(const Star&, std::int64_t n,
                                                    std::int64_t bytes);
[[nodiscard]] std::int64_t recursive_all_gather(const Star&, std::int64_t n, std::int64_t bytes);
[[nodiscard]] std::int64_t recursive_all_reduce(const Star&, std::int64_t n, std::int64_t bytes);

// n divides bytes.
[[nodiscard]] std::int64_t direct_reduce_scatter(const Star&, std::int64_t n, std::int64_t bytes);
[[nodiscard]] std::int64_t direct_all_gather(const Star&, std::int64_t n, std::int64_t bytes);
[[nodiscard]] std::int64_t direct_all_reduce(const Star&, std::int64_t n, std::int64_t bytes);
[[nodiscard]] std::int64_t direct_all_to_all(const Star&, std::int64_t n, std::int64_t bytes);

[[nodiscard]] std::int64_t one_shot_all_reduce(const Star&, std::int64_t n, std::int64_t bytes);
// One peer at a time, never two at one port.
[[nodiscard]] std::int64_t pairwise_all_to_all(const Star&, std::int64_t n, std::int64_t bytes);
// n a power of two.
[[nodiscard]] std::int64_t recursive_doubling(const Star&, std::int64_t n, std::int64_t bytes);

// A root and its tree: n a power of two where the root gathers or reduces; n divides bytes.
[[nodiscard]] std::int64_t binomial_broadcast(const Star&, std::int64_t n, std::int64_t bytes);
[[nodiscard]] std::int64_t binomial_reduce(const Star&, std::int64_t n, std::int64_t bytes);
[[nodiscard]] std::int64_t binomial_scatter(const Star&, std::int64_t n, std::int64_t bytes);
[[nodiscard]] std::int64_t dissemination_barrier(const Star&, std::int64_t n, std::int64_t bytes);

// In 4 chunks, which divide bytes.
[[nodiscard]] std::int64_t chain_broadcast(const Star&, std::int64_t n, std::int64_t bytes);
[[nodiscard]] std::int64_t chain_reduce(const Star&, std::int64_t n, std::int64_t bytes);
[[nodiscard]] std::int64_t chain_gather(const Star&, std::int64_t n, std::int64_t bytes);

[[nodiscard]] std::int64_t direct_broadcast(const Star&, std::int64_t n, std::int64_t bytes);
[[nodiscard]] std::int64_t direct_scatter(const Star&, std::int64_t n, std::int64_t bytes);
[[nodiscard]] std::int64_t direct_gather(const Star&, std::int64_t n, std::int64_t bytes);
[[nodiscard]] std::int64_t send_recv(const Star&, std::int64_t n, std::int64_t bytes);

// n - 1 ranks write `bytes` each to the last one, all at once: its link drains without a pause.
[[nodiscard]] std::int64_t incast(const Star&, std::int64_t n, std::int64_t bytes);

}  // namespace oracle

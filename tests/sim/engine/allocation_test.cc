// SPDX-License-Identifier: GPL-2.0-only
// Counts heap allocations of a whole run: the number must not grow with the number of packets.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "tests/sim/engine/world.h"

namespace {
std::size_t g_allocations = 0;
}

void* operator new(std::size_t size) {
  ++g_allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

namespace sim::packet {
namespace {

// Allocations inside run() when each of 16 ends sends `bytes` to each other.
std::size_t allocations(std::int64_t bytes, FlowControl flow, std::uint64_t* packets) {
  Wire wire;
  wire.flow = flow;
  wire.buffer = Bytes(8 * 4'000);
  World world(star(16, wire));
  for (std::uint32_t i = 0; i < 16; ++i) {
    for (std::uint32_t k = 1; k < 16; ++k) world.send(i * 16 + k, i, (i + k) % 16, bytes);
  }
  const std::size_t before = g_allocations;
  world.run();
  *packets = world.network.packets();
  return g_allocations - before;
}

TEST(Allocation, NoneIsMadePerPacket) {
  for (const FlowControl flow : {FlowControl::kUnbounded, FlowControl::kCredits}) {
    std::uint64_t few = 0;
    std::uint64_t many = 0;
    const std::size_t with_few = allocations(200'000, flow, &few);
    const std::size_t with_many = allocations(2'000'000, flow, &many);
    EXPECT_EQ(many, 10 * few);
    // The recorder's map and growing pools allocate; packets do not.
    EXPECT_LT(with_many, with_few + 50) << with_few;
    EXPECT_LT(with_many, many / 100);
  }
}

}  // namespace
}  // namespace sim::packet
